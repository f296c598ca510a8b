import { stripVTControlCharacters } from 'node:util';
import { printable } from '../../shared/runtime/redaction.ts';

const COLUMNS = 80;

/** Wraps text, coloured or not, to 80 columns. Keeps its indentation, plus `hanging` from the second line on. */
export function wrapped(text: string, hanging = 2): string[] {
  const margin = ' '.repeat(text.length - text.trimStart().length);
  const [first = '', ...words] = text.trim().split(/ (?!%)/);
  const lines = [`${margin}${first}`];
  for (const word of words) {
    const line = `${lines.at(-1)} ${word}`;
    if (stripVTControlCharacters(line).length <= COLUMNS) lines[lines.length - 1] = line;
    else lines.push(`${margin}${' '.repeat(hanging)}${word}`);
  }
  return lines;
}

/** Wraps between words to `width`. A longer word breaks at dashes, or anywhere. */
export function folded(text: string, width: number): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = '';
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} `;
    else lines.push('');
    for (const part of word.length <= width ? [word] : partsOf(word, width)) {
      const begun = lines.at(-1) ?? '';
      if (begun.length + part.length <= width) lines[lines.length - 1] = begun + part;
      else lines.push(part);
    }
  }
  return lines.join('\n');
}

function partsOf(word: string, width: number): string[] {
  const parts = word.match(/[^-]*-|[^-]+$/g) ?? [word];
  return parts.flatMap((part) => part.match(new RegExp(`.{1,${width}}`, 'gsu')) ?? []);
}

/** Text with foreign parts in 80 columns, without control characters. */
export function safeLines(text: string): string[] {
  return wrapped(printable(text));
}
