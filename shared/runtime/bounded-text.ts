import { createHash } from 'node:crypto';

/** UTF-16 code units. */
const MOST = 300;
const KEPT = 200;

/**
 * The text, cut to at most 300 characters. A cut text says so, with a hash that keeps texts with the same start
 * distinct. Stores, pages and messages have no room for values of any length.
 */
export function boundedText(text: string): string {
  if (text.length <= MOST) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return `${text.slice(0, KEPT).toWellFormed()}… (cut, ${hash})`;
}
