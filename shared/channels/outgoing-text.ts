/** Control characters, direction overrides, and two noncharacters for which AWS rejects a message. */
const ILLEGIBLE = /(?![\n\r\t])[\p{Cc}\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]/gu;

/** Untrusted text for display: control characters are visibly replaced. */
export function legible(text: string): string {
  return text.toWellFormed().replaceAll(ILLEGIBLE, '\uFFFD');
}

/** `text` as one line of at most `limit` UTF-16 units, visibly truncated and never inside a character. */
export function oneLine(limit: number, text: string): string {
  // Text that is many times too long is not scanned to its end.
  const start = text.length > limit * 4 ? `${text.slice(0, limit * 4)}…` : text;
  return within(limit, legible(start).replaceAll(/\s+/g, ' ').trim());
}

/** `text` visibly truncated to at most `limit` UTF-16 units, never inside a character. */
export function within(limit: number, text: string): string {
  const whole = text.toWellFormed();
  if (whole.length <= limit) return whole;
  const kept = whole.slice(0, limit - 1);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}…`;
}

/** `text` visibly truncated to at most `limit` bytes of UTF-8. */
export function withinBytes(limit: number, text: string): string {
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.length <= limit) return text.toWellFormed();
  const mark = '…';
  // A character that was cut decodes to the replacement character, which is removed too.
  const kept = bytes.subarray(0, limit - Buffer.byteLength(mark)).toString();
  return `${kept.replace(/\uFFFD+$/, '')}${mark}`;
}

/** Text with escapes, such as `\*` and `&lt;`, visibly truncated to at most `limit` UTF-16 units and never inside one. */
export function escapedWithin(limit: number, escaped: string): string {
  if (escaped.length <= limit) return escaped;
  let kept = '';
  for (const [sign] of escaped.matchAll(/\\.|&\w+;|./gsu)) {
    if (kept.length + sign.length >= limit) break;
    kept += sign;
  }
  return `${kept}…`;
}

/** The http or https URL in `text`; `undefined` if it is not a URL or is longer than `limit`. */
export function webAddress(text: string | null | undefined, limit: number): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && href.length <= limit ? href : undefined;
}
