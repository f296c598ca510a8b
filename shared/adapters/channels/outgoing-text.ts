/**
 * Letters that no screen should be given: control characters, those that turn the direction of what follows, and two
 * that are none, for which AWS refuses a message.
 */
const ILLEGIBLE = /(?![\n\r\t])[\p{Cc}\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]/gu;

/** Text of others as a person can be shown it: what would command the screen is replaced visibly. */
export function legible(text: string): string {
  return text.toWellFormed().replaceAll(ILLEGIBLE, '\uFFFD');
}

/** `text` as one line of at most `limit` UTF-16 units, cut visibly and never inside a character. */
export function oneLine(limit: number, text: string): string {
  // What is many times too long is not looked at to its end.
  const start = text.length > limit * 4 ? `${text.slice(0, limit * 4)}…` : text;
  return within(limit, legible(start).replaceAll(/\s+/g, ' ').trim());
}

/** `text`, cut visibly to at most `limit` UTF-16 units, never inside a character. */
export function within(limit: number, text: string): string {
  const whole = text.toWellFormed();
  if (whole.length <= limit) return whole;
  const kept = whole.slice(0, limit - 1);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}…`;
}

/** `text`, cut visibly to at most `limit` bytes of UTF-8. */
export function withinBytes(limit: number, text: string): string {
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.length <= limit) return text.toWellFormed();
  const mark = '…';
  // A character that was cut in half decodes to the sign for that, which is taken off with it.
  const kept = bytes.subarray(0, limit - Buffer.byteLength(mark)).toString();
  return `${kept.replace(/\uFFFD+$/, '')}${mark}`;
}
