/** The distribution of a value, predicted before it is observed. */
export interface Expectation {
  expected: number;
  /** Variance of the log rate beyond chance, below and above the expected value. */
  variance: BySide;
  /** The value of one event: 1 for counts. */
  grain: number;
}

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
  const side = value < expected ? variance.fall : variance.rise;
  return (rootOf(value, grain) - rootOf(expected, grain)) / spreadOfRoot(side, expected, grain);
}

/** The range of values within `z` standard deviations of the expected value. */
export function rangeWithin(
  z: BySide,
  { expected, variance, grain }: Expectation,
): { low: number; high: number } {
  const root = rootOf(expected, grain);
  return {
    low: valueAt(Math.max(0, root - z.fall * spreadOfRoot(variance.fall, expected, grain)), grain),
    high: valueAt(root + z.rise * spreadOfRoot(variance.rise, expected, grain), grain),
  };
}

/** Variance of the log of a value by chance alone. */
export function chanceVariance(expected: number, grain: number): number {
  return grain / (expected + grain);
}

function rootOf(value: number, grain: number): number {
  return Math.sqrt(value / grain + ROOT_OFFSET);
}

function valueAt(root: number, grain: number): number {
  return Math.max(0, root ** 2 - ROOT_OFFSET) * grain;
}

/** Standard deviation of the square root of a value. */
function spreadOfRoot(variance: number, expected: number, grain: number): number {
  return Math.sqrt(1 + (variance * expected) / grain) / 2;
}
