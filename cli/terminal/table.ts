import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { heading } from '../../local/colour.ts';
import { folded } from './wrapping.ts';

/** Figures are right-aligned, all else left. */
export interface Column {
  title: string;
  align?: 'left' | 'right';
  /** Maximum width; longer text is wrapped. */
  width?: number;
}

const NO_LINES = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
};

/** Rows under their titles, without rules or trailing blanks. */
export function tableText(columns: Column[], rows: (string | number)[][]): string {
  const table = new Table({
    head: columns.map(({ title }) => (title === '' ? '' : heading(title))),
    colAligns: columns.map(({ align = 'left' }) => align),
    colWidths: columns.map(({ width }) => width ?? null),
    wordWrap: true,
    chars: NO_LINES,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => row.map((cell, i) => cellText(String(cell), columns[i]?.width))));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** The library would cut a word that is longer than its column. */
function cellText(text: string, width: number | undefined): string {
  if (width === undefined || stripVTControlCharacters(text) !== text) return text;
  return text
    .split('\n')
    .map((line) => folded(line, width))
    .join('\n');
}
