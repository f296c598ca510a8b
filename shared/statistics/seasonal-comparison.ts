import { type BySide, type Expectation, rangeWithin, zOf } from './expectation.ts';
import { type LimitSpan, SeasonalLimit, sigmaLimit, sizeLimit } from './seasonal-limit.ts';

/** What the model expects of a window before it sees it. */
export interface Prior {
  /** With the carry-over from the previous window. */
  carried: Expectation;
  /** From the season alone. */
  seasonal: Expectation;
  /** The unit of `RiseSize`; `undefined` if it is unknown. */
  riseUnit: number | undefined;
  /** Length of the window relative to a normal one; 1 for a mean, which does not grow with it. */
  length: number;
  /** The expected values that are allowed: on a holiday there are several. */
  allowed: { low: number; high: number };
}

/** How a deviation is measured: in standard deviations from the carried expectation, or by the usual size of a rise. */
type Comparison = 'carried' | 'size';

/** A value in all comparisons. */
export interface Fit {
  value: number;
  prior: Prior;
  /** 0 where the value is normal near the season. */
  deviations: Record<Comparison, number>;
  /** The comparison with the largest deviation relative to its limit, and this deviation as a multiple of the limit. */
  by: Comparison;
  ratio: number;
}

export type Limits = Record<Comparison, SeasonalLimit>;

/** Minimum limits in standard deviations: of a calm series, and of one with large outliers. */
export interface Floors {
  fall: [calm: number, wild: number];
  rise: [calm: number, wild: number];
}

/** Rises can have any size, so they are also compared in the unit of the series. */
const RISE_SIZE = sizeLimit(6, 0.3);
const NO_LIMIT = () => Infinity;

/** A value within this many standard deviations of the season is normal, even if the previous window suggests another. */
const NEAR_SEASON = 1.5;

export function limitsOf(span: LimitSpan, { fall, rise }: Floors): Limits {
  return {
    carried: new SeasonalLimit(span, { fall: sigmaLimit(...fall), rise: sigmaLimit(...rise) }),
    size: new SeasonalLimit(span, { fall: NO_LIMIT, rise: RISE_SIZE }),
  };
}

/** Compares a value with its prior. It is beyond the limits if `ratio` is at least 1. */
export function compare(prior: Prior, value: number, limits: Limits): Fit {
  const { carried, seasonal, riseUnit } = prior;
  const [fromCarried, fromSeason] = [zOf(value, carried), zOf(value, seasonal)];
  // Between both expectations, or near the season, the value is normal.
  const isNormal = fromCarried * fromSeason <= 0 || Math.abs(fromSeason) <= NEAR_SEASON;
  const size = riseUnit === undefined || fromSeason < 0 ? 0 : (value - seasonal.expected) / riseUnit;
  const deviations = isNormal ? { carried: 0, size: 0 } : { carried: fromCarried, size };
  const carriedRatio = Math.abs(deviations.carried) / limits.carried.limitFor(deviations.carried);
  const sizeRatio = deviations.size / limits.size.limitFor(1);
  return sizeRatio > carriedRatio
    ? { value, prior, deviations, by: 'size', ratio: sizeRatio }
    : { value, prior, deviations, by: 'carried', ratio: carriedRatio };
}

/** The values that are within all limits. */
export function rangeOf(prior: Prior, limits: Limits): { low: number; high: number } {
  const { allowed, seasonal } = prior;
  const { low, high } = rangeAround(prior, limits);
  if (allowed.low === allowed.high) return { low, high };
  const at = (expected: number) => rangeAround(withExpected(prior, expected), limits);
  return {
    low: allowed.low < seasonal.expected ? Math.min(low, at(allowed.low).low) : low,
    high: allowed.high > seasonal.expected ? Math.max(high, at(allowed.high).high) : high,
  };
}

function rangeAround({ carried, seasonal, riseUnit }: Prior, limits: Limits): { low: number; high: number } {
  const nearSeason = rangeWithin({ fall: NEAR_SEASON, rise: NEAR_SEASON }, seasonal);
  const fromCarried = rangeWithin(bothSides(limits.carried), carried);
  const largest = riseUnit === undefined ? Infinity : seasonal.expected + limits.size.limitFor(1) * riseUnit;
  return {
    low: Math.min(fromCarried.low, nearSeason.low),
    high: Math.max(nearSeason.high, carried.expected, Math.min(fromCarried.high, largest)),
  };
}

/** The prior if the previous window were as expected. */
export function withoutCarry(prior: Prior): Prior {
  return withExpected(prior, prior.seasonal.expected);
}

export function withExpected(prior: Prior, expected: number): Prior {
  return { ...prior, carried: { ...prior.carried, expected }, seasonal: { ...prior.seasonal, expected } };
}

function bothSides(limit: SeasonalLimit): BySide {
  return { fall: limit.limitFor(-1), rise: limit.limitFor(1) };
}
