import { oneLine } from '../outgoing-text.ts';

/**
 * `text` as one line that Teams shows as it is: cards read Markdown in all texts and facts. `limit` is without escapes.
 * https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format
 */
export function plain(limit: number, text: string): string {
  return oneLine(limit, text)
    .replaceAll(/[\\`*_[\]<>~#|]/g, '\\$&')
    .replace(/^([-+]|\d+\.)(?= )/, (mark) => `${mark.slice(0, -1)}\\${mark.slice(-1)}`);
}

/** A link of Markdown. */
export function linkTo(address: string, label: string): string {
  return `[${plain(80, label)}](${address.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}
