/** The first `most` of the texts, then "and 3 more" if there are others. */
export function firstOf(texts: readonly string[], most: number): string[] {
  const left = texts.length - most;
  return [...texts.slice(0, most), ...(left > 0 ? [`and ${left} more`] : [])];
}

/** The text with a capital letter at its start. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
