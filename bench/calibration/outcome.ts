import type { Ratio } from '../../shared/statistics/ratios.ts';

/** The trials with a given outcome: `of` out of `to`. */
export interface Outcome extends Ratio {
  name: string;
}

/** In percent, with two decimals. */
export function percentOf({ of, to }: Ratio): number {
  return Math.round((10_000 * of) / to) / 100;
}

/** Prints one line per outcome: its rate and a 95% interval that assumes independent trials. */
export function printOutcomes(title: string, outcomes: readonly Outcome[]): void {
  const width = Math.max(...outcomes.map(({ name }) => name.length));
  console.log(`\n${title}\n`);
  for (const outcome of outcomes) {
    const { low, high } = wilsonInterval(outcome);
    const bounds = `${(100 * low).toFixed(2)} to ${(100 * high).toFixed(2)}`;
    console.log(
      `  ${outcome.name.padEnd(width)}  ${percentOf(outcome).toFixed(2).padStart(6)}%  (${bounds}, of ${outcome.to})`,
    );
  }
}

/** The 97.5% quantile of the standard normal distribution. */
const Z_95 = 1.959963984540054;

/** The 95% interval of a share (Wilson 1927). For 0 to 0 it is 0 to 1. */
function wilsonInterval({ of, to }: Ratio): { low: number; high: number } {
  if (to === 0) return { low: 0, high: 1 };
  const square = Z_95 ** 2;
  const centre = (of + square / 2) / (to + square);
  const half = (Z_95 / (to + square)) * Math.sqrt((of * (to - of)) / to + square / 4);
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
