import type { Link } from '../chat-layout.ts';
import { within as cut, escapedWithin, legible } from '../outgoing-text.ts';

/** `verbatim`: Slack creates no links, channels or mentions from plain words. */
export function mrkdwn(text: string) {
  return { type: 'mrkdwn', text, verbatim: true } as const;
}

/** Plain text, for headers and buttons, is not escaped. */
export function plainText(limit: number, text: string) {
  return { type: 'plain_text', text: cut(limit, legible(text)), emoji: false } as const;
}

export function link({ url, label }: Link): string {
  return `<${escaped(url.replaceAll('|', '%7C'))}|${escaped(label)}>`;
}

/** `text`, escaped and at most `limit` characters long. A cut is marked, and never splits a character or its escape. */
export function within(limit: number, text: string): string {
  return escapedWithin(limit, escaped(legible(text)));
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping: without these three nothing can mention anyone. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
