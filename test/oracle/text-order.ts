/** By code point, as databases order text; JavaScript's own order differs beyond U+FFFF. */
export const byCharacter = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
