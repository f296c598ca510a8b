import type { Figures } from './question.ts';

/**
 * Holds two answers against each other, whatever the order of their rows; of the second, each row's first fields.
 * @throws Error where they differ: times of different answers are no comparison.
 */
export function sameFigures(name: string, answered: Figures, expected: Figures): void {
  const width = answered.at(-1)?.length;
  const [ours, theirs] = [linesOf(answered), linesOf(expected.map((row) => row.slice(0, width)))];
  const at = ours.findIndex((line, index) => line !== theirs[index]);
  if (at >= 0 || ours.length !== theirs.length)
    throw new Error(
      `${name}: ${ours.length} rows and ${theirs.length}; the first that differ are ${ours[at]} and ${theirs[at]}`,
    );
}

const linesOf = (figures: Figures): string[] => figures.map((row) => row.map(written).join(' ')).sort();

/** Numbers come as texts and big integers too, and sums of fractions depend on their order. */
function written(value: unknown): string {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
  return Number.isNaN(number) ? String(value) : number.toPrecision(9);
}
