/** Text in the markup of Slack. HTML needs `escapedHtml` in attributes. */
export function escapedMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function escapedHtml(text: string): string {
  return escapedMarkup(text).replaceAll('"', '&quot;');
}
