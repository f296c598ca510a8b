import { stripVTControlCharacters } from 'node:util';

/**
 * A problem in a file. Lines and columns start at 1; they are 0 if there is no file or no text in it, and then the
 * message names what is wrong. `source` is the text of the line.
 */
export interface Problem {
  file: string;
  line: number;
  column: number;
  message: string;
  source: string;
}

/** Sorted by place and without duplicates: a fault of a default is found in every entry that uses it. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  const distinct = new Map(
    problems.map((each) => [`${each.file}:${each.line}:${each.column} ${each.message}`, each]),
  );
  return [...distinct.values()].sort(byPlace);
}

export function byPlace(a: Problem, b: Problem): number {
  return (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column;
}

export function problemOf(file: string, message: string): Problem {
  return { file, line: 1, column: 1, message, source: '' };
}

const WIDTH = 80;

/** The problems as text of 80 columns: `rules/x.yaml:12:7 message`, the line, and a mark below the place. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems.map(formatProblem).join('\n\n');
}

function formatProblem({ file, line, column, message, source }: Problem): string {
  const text = wrap(line === 0 ? message : `${file}:${line}:${column} ${message}`);
  if (source.trim() === '') return text;
  const gutter = `  ${line} | `;
  const start = Math.max(0, Math.min(column - 10, source.length + gutter.length - WIDTH));
  const excerpt = source.slice(start, start + WIDTH - gutter.length).replaceAll('\t', ' ');
  return `${text}\n${gutter}${excerpt}\n${' '.repeat(gutter.length + column - 1 - start)}^`;
}

function wrap(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && columnsOf(line) + 1 + columnsOf(word) > WIDTH) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\n');
}

/** Colour codes have no width. */
function columnsOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
