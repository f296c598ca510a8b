/**
 * A function that strikes `secret` out of a text, whichever way each of its letters is written there: as it is,
 * percent-encoded (also more than once), as a form's plus, or escaped as in JSON.
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
