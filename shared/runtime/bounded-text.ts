import { createHash } from 'node:crypto';

/** In UTF-16 code units. */
const MOST = 300;
const KEPT = 200;

/**
 * A text of at most 300 characters. A longer one is cut and says so; the hash in it keeps apart two that begin alike. No
 * store, page or message has room for a value of any length.
 */
export function boundedText(text: string): string {
  if (text.length <= MOST) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return `${text.slice(0, KEPT).toWellFormed()}… (cut, ${hash})`;
}
