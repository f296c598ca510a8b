import { stripVTControlCharacters } from 'node:util';
import { printable } from '../../shared/runtime/redaction.ts';

const COLUMNS = 80;

/** Wraps text, coloured or not, between words. Keeps its indentation, plus `hanging` from the second line on. */
export function wrapped(text: string, hanging = 2, width = COLUMNS): string[] {
  const margin = ' '.repeat(text.length - text.trimStart().length);
  const [first = '', ...words] = text.trim().split(/ (?!%)/);
  const lines = [`${margin}${first}`];
  for (const word of words) {
    const line = `${lines.at(-1)} ${word}`;
    if (stripVTControlCharacters(line).length <= width) lines[lines.length - 1] = line;
    else lines.push(`${margin}${' '.repeat(hanging)}${word}`);
  }
  return lines;
}

/** Wraps to `width`. A longer word breaks after its dashes, or anywhere. */
export function folded(text: string, width: number): string {
  const room = width - (text.length - text.trimStart().length);
  const part = new RegExp(`.{1,${room}}$|.{0,${room - 1}}-|.{1,${room}}`, 'gsu');
  const words = text.split(' ').map((word) => (word.length <= room ? word : word.match(part)?.join(' ')));
  return wrapped(words.join(' '), 0, width).join('\n');
}

/** Text with foreign parts in 80 columns, without control characters. */
export function safeLines(text: string): string[] {
  return wrapped(printable(text));
}
