/** The distribution of a value, predicted before it is observed. */
export interface Expectation {
  expected: number;
  /** Variance of the log rate beyond chance, below and above the expected value. */
  variance: BySide;
  /** The value of one event: 1 for counts. */
  grain: number;
  falls: FallScale;
}

/**
 * The scale on which falls are measured. On `roots` no fall can be larger than two divided by the spread. On `logs` (the
 * variance-stabilising asinh of the negative binomial) a fall to zero is as large as its count.
 */
export type FallScale = 'roots' | 'logs';

/** A figure for falls and one for rises. */
export interface BySide {
  fall: number;
  rise: number;
}

/** Added before the square root, in grains, so that the variance is stable for small counts too (Anscombe 1948). */
const ROOT_OFFSET = 3 / 8;

/**
 * The distance of a value from its expected value in standard deviations, on the scale of square roots, where counts
 * have a constant variance. A logarithm would hide rises of series that vary widely, and would hardly separate a bad
 * day from a day of zero events.
 */
export function zOf(value: number, expectation: Expectation): number {
  const { expected, variance, grain } = expectation;
  if (value < expected && expectation.falls === 'logs')
    return 2 * (logOf(value, expectation) - logOf(expected, expectation));
  const side = value < expected ? variance.fall : variance.rise;
  return (rootOf(value, grain) - rootOf(expected, grain)) / spreadOfRoot(side, expected, grain);
}

/** The range of values within `z` standard deviations of the expected value. */
export function rangeWithin(z: BySide, expectation: Expectation): { low: number; high: number } {
  const { expected, variance, grain, falls } = expectation;
  const root = rootOf(expected, grain);
  const lowest =
    falls === 'logs'
      ? rootAtLog(logOf(expected, expectation) - z.fall / 2, variance.fall)
      : root - z.fall * spreadOfRoot(variance.fall, expected, grain);
  return {
    low: valueAt(Math.max(0, lowest), grain),
    high: valueAt(root + z.rise * spreadOfRoot(variance.rise, expected, grain), grain),
  };
}

/** The value, limited to what is within `z` standard deviations. */
export function cutTo(z: number, value: number, expectation: Expectation): number {
  if (Math.abs(zOf(value, expectation)) <= z) return value;
  const { low, high } = rangeWithin({ fall: z, rise: z }, expectation);
  return Math.min(Math.max(value, low), high);
}

/** The log of the ratio of a value to the expected one, defined for 0 too. */
export function logRatio(value: number, expected: number, grain: number): number {
  return Math.log((value + grain) / (expected + grain));
}

/** Variance of the log of a value by chance alone. */
export function chanceVariance(expected: number, grain: number): number {
  return grain / (expected + grain);
}

function rootOf(value: number, grain: number): number {
  return Math.sqrt(value / grain + ROOT_OFFSET);
}

/** Half of the stabilised value: its standard deviation is 1/2 for all expected values. */
function logOf(value: number, { variance, grain }: Expectation): number {
  const spread = Math.sqrt(variance.fall);
  return Math.asinh(spread * rootOf(value, grain)) / spread;
}

function rootAtLog(log: number, variance: number): number {
  const spread = Math.sqrt(variance);
  return Math.sinh(spread * log) / spread;
}

function valueAt(root: number, grain: number): number {
  return Math.max(0, root ** 2 - ROOT_OFFSET) * grain;
}

/** Standard deviation of the square root of a value. */
function spreadOfRoot(variance: number, expected: number, grain: number): number {
  return Math.sqrt(1 + (variance * expected) / grain) / 2;
}

/** Minimum expected value, in grains. With an expected value of 0, every event would be infinitely surprising. */
const LEAST_GRAINS = 0.1;

/** The value at the log ratio `deviation` to `value`. */
export function shifted(value: number, deviation: number, grain: number): number {
  return Math.max(LEAST_GRAINS * grain, (value + grain) * Math.exp(deviation) - grain);
}
