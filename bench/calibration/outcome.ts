import { type Ratio, wilsonInterval } from '../../shared/statistics/ratios.ts';

/** Something that happened in `of` of `to` trials. */
export interface Outcome extends Ratio {
  name: string;
}

/** In per cent, to two digits. */
export function percentOf({ of, to }: Ratio): number {
  return Math.round((10_000 * of) / to) / 100;
}

/** One line for each: how often it happened, with the 95 % interval as if trials were independent. */
export function printOutcomes(title: string, outcomes: readonly Outcome[]): void {
  const width = Math.max(...outcomes.map(({ name }) => name.length));
  console.log(`\n${title}\n`);
  for (const outcome of outcomes) {
    const { low, high } = wilsonInterval(outcome);
    const bounds = `${(100 * low).toFixed(2)} to ${(100 * high).toFixed(2)}`;
    console.log(
      `  ${outcome.name.padEnd(width)}  ${percentOf(outcome).toFixed(2).padStart(6)} %  (${bounds}, of ${outcome.to})`,
    );
  }
}
