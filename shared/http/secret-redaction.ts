/**
 * A function that redacts `secret` in a text, in any encoding of its letters: plain, percent-encoded (also repeatedly),
 * form-encoded with a plus, or escaped as in JSON.
 */
export function redactionOf(secret: string): (text: string) => string {
  if (secret === '') return (text) => text;
  const pattern = new RegExp(Array.from(secret, anyWritingOf).join(''), 'giu');
  return (text) => text.replaceAll(pattern, '***');
}

function anyWritingOf(letter: string): string {
  const plain = `\\\\?\\u{${hex(letter.codePointAt(0) ?? 0, 1)}}`;
  const percent = Array.from(Buffer.from(letter), (byte) => `%(?:25)*${hex(byte, 2)}`).join('');
  const escaped = letter
    .split('')
    .map((unit) => `\\\\u${hex(unit.charCodeAt(0), 4)}`)
    .join('');
  return `(?:${[plain, percent, escaped, ...(letter === ' ' ? ['\\+', '%(?:25)*2b'] : [])].join('|')})`;
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
