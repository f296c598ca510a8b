/** `verbatim`: Slack creates no links, channels or mentions from plain words. */
export function mrkdwn(text: string) {
  return { type: 'mrkdwn', text, verbatim: true } as const;
}

/** Plain text, for headers and buttons, is not escaped. */
export function plainText(limit: number, text: string) {
  return { type: 'plain_text', text: within(limit, text, asIs), emoji: false } as const;
}

/** `<url|label>`; `undefined` for a text that is not a web URL, or longer than `limit` once escaped. */
export function linkTo(address: string, label: string, limit: number): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined;
  const href = escaped(url.href.replaceAll('|', '%7C'));
  return href.length <= limit ? `<${href}|${escaped(label)}>` : undefined;
}

/** `text` as `written`, at most `limit` characters long. A cut is marked, and never splits a character or its escape. */
export function within(limit: number, text: string, written: (text: string) => string = escaped): string {
  const clean = text.toWellFormed().replaceAll(CONTROLS, ' ');
  if (written(clean).length <= limit) return written(clean);
  let kept = '';
  for (const character of clean) {
    const next = kept + written(character);
    if (next.length >= limit) break;
    kept = next;
  }
  return `${kept}…`;
}

const CONTROLS = /(?!\n)\p{Cc}/gu;

const asIs = (text: string) => text;

/** https://docs.slack.dev/messaging/formatting-message-text#escaping: without these three nothing can mention anyone. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
