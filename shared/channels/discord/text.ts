import { oneLine } from '../outgoing-text.ts';

/**
 * `text` as one line of at most `limit` characters that Discord shows as it is, without Markdown, mentions and links.
 */
export function plain(limit: number, text: string): string {
  const escaped = oneLine(limit, text).replaceAll(/[\\*_~`|[\]<>#]|:(?=\/\/)/g, '\\$&');
  if (escaped.length <= limit) return escaped;
  let kept = '';
  for (const [letter] of escaped.matchAll(/\\?./gsu)) {
    if (kept.length + letter.length >= limit) break;
    kept += letter;
  }
  return `${kept}…`;
}

/** A link of Markdown. */
export function linkTo(address: string, label: string): string {
  return `[${plain(80, label)}](${address.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}
