import type { Figures } from './question.ts';

/**
 * Throws if two results differ, because the times of different results must not be compared. Ignores the order of rows,
 * and additional fields at the end of expected rows.
 */
export function sameFigures(name: string, answered: Figures, expected: Figures): void {
  const width = answered.at(-1)?.length;
  const [got, wanted] = [linesOf(answered), linesOf(expected.map((row) => row.slice(0, width)))];
  const at = got.findIndex((line, index) => line !== wanted[index]);
  if (at >= 0 || got.length !== wanted.length)
    throw new Error(
      `${name}: got ${got.length} rows, expected ${wanted.length}; first difference: got ${got[at]}, expected ${wanted[at]}`,
    );
}

const linesOf = (figures: Figures): string[] => figures.map((row) => row.map(written).join(' ')).sort();

/** Numbers may be texts or big integers, and sums of fractions depend on their order. */
function written(value: unknown): string {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  return Number.isNaN(number) ? String(value) : number.toPrecision(9);
}
