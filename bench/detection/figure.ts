import { drawsFor, wholeBetween } from '../../local/data/demo/draws.ts';

/** A figure that can be computed for any choice of its series. */
export interface Figure {
  /** For all series. `NaN` without series. */
  value: number;
  /** The indices of a choice may repeat. */
  of(choice: readonly number[]): number;
  series: number;
}

export function figureOf<T>(items: readonly T[], of: (chosen: T[]) => number): Figure {
  const ofChoice = (choice: readonly number[]) => of(choice.flatMap((i) => items.slice(i, i + 1)));
  const value = items.length === 0 ? Number.NaN : of([...items]);
  return { value, of: ofChoice, series: items.length };
}

export interface Interval {
  low: number;
  high: number;
}

const SEED = 1;
const RESAMPLES = 200;

/** The share of resamples inside the interval. */
const COVERAGE = 0.9;

/** A bootstrap interval over the series, the same in every run. All figures of as many series get the same resamples. */
export function intervalOf({ series, of }: Figure): Interval {
  if (series === 0) return { low: Number.NaN, high: Number.NaN };
  const draw = drawsFor(SEED, 'bootstrap', series);
  const values = Array.from({ length: RESAMPLES }, () =>
    of(Array.from({ length: series }, () => wholeBetween(draw, 0, series - 1))),
  ).toSorted((a, b) => a - b);
  const at = (share: number) => values[Math.round(share * (RESAMPLES - 1))] ?? Number.NaN;
  return { low: at((1 - COVERAGE) / 2), high: at((1 + COVERAGE) / 2) };
}
