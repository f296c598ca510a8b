import { type Ratio, wilsonInterval } from '../../shared/statistics/ratios.ts';

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
