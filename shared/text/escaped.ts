/** Text in the markup of Slack. HTML needs `escapedHtml` in attributes. */
export function escapedMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The inverse. `&amp;` comes last, so that no text is unescaped twice. */
export const unescapedMarkup = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

export function escapedHtml(text: string): string {
  return escapedMarkup(text).replaceAll('"', '&quot;');
}
