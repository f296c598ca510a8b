import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { heading } from '../../local/colour.ts';
import { folded } from './wrapping.ts';

/** How a column looks. By default, it is aligned left. */
interface Look {
  align?: 'right';
  /** Maximum width; longer text is wrapped. */
  width?: number;
}

/** Of a column of figures. */
export const RIGHT: Look = { align: 'right' };

const NO_LINES = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
};

/** Rows under the titles of their columns, without rules or trailing blanks. */
export function tableText(columns: Readonly<Record<string, Look>>, rows: (string | number)[][]): string {
  const looks = Object.values(columns);
  const table = new Table({
    head: Object.keys(columns).map((title) => (title === '' ? '' : heading(title))),
    colAligns: looks.map((look): 'left' | 'right' => look.align ?? 'left'),
    colWidths: looks.map(({ width }) => width ?? null),
    wordWrap: true,
    chars: NO_LINES,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => row.map((cell, i) => cellText(String(cell), looks[i]?.width))));
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
