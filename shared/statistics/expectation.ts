/** What is expected of a value before it is seen. */
export interface Expectation {
  /** What the season alone says. */
  usual: number;
  /** With what carries over from the window before. */
  expected: number;
  /** Variance of the log of the rate, beyond chance. */
  variance: number;
  /** What counts as one event: 1 for counts. */
  grain: number;
}

/**
 * How many standard deviations a value is from what is expected: on the scale of counts, of variance
 * `g e + v e^2`, or on that of their logarithms, of variance `v + g / (e + g)`, whichever is less. A fall cannot be
 * much on the first, nor a rise on the second.
 */
export function zOf(value: number, { expected, variance, grain }: Expectation): number {
  const linear = (value - expected) / Math.sqrt(grain * expected + variance * expected ** 2);
  const log =
    Math.log((value + grain) / (expected + grain)) / Math.sqrt(variance + grain / (expected + grain));
  return Math.abs(linear) < Math.abs(log) ? linear : log;
}

/** The values that are less than `z` standard deviations from what is expected. */
export function rangeWithin(
  z: number,
  { expected, variance, grain }: Expectation,
): { low: number; high: number } {
  const linear = z * Math.sqrt(grain * expected + variance * expected ** 2);
  const log = z * Math.sqrt(variance + grain / (expected + grain));
  return {
    low: Math.max(0, Math.min(expected - linear, (expected + grain) * Math.exp(-log) - grain)),
    high: Math.max(expected + linear, (expected + grain) * Math.exp(log) - grain),
  };
}
