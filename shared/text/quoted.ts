/** The most letters of a name that a sentence quotes. */
const LONGEST = 80;

/**
 * A name from a user, safe within a sentence: on one line, at most 80 characters, and isolated if it is written from
 * right to left.
 */
export function quoted(text: string): string {
  const letters = [...text];
  return inOneLine(letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join('')}…` : text);
}

/** The whole name if `quoted` cuts it, else `null`. */
export function whatQuotedCuts(text: string): string | null {
  return [...text].length > LONGEST ? inOneLine(text) : null;
}

const BREAKS = /[\p{Cc}\u2028\u2029]+/gu;
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Marks on both sides keep adjacent figures in place. */
const LEFT_TO_RIGHT = '\u200e';

function inOneLine(text: string): string {
  const plain = text.toWellFormed().replaceAll(DIRECTIONS, '').replaceAll(BREAKS, ' ').trim();
  return RIGHT_TO_LEFT.test(plain) ? `${LEFT_TO_RIGHT}${plain}${LEFT_TO_RIGHT}` : plain;
}
