/** What is expected of a value before it is seen. */
export interface Expectation {
  /** What the season alone says. */
  usual: number;
  /** With what carries over from the window before. */
  expected: number;
  /** Variance of the log of the rate beyond chance, below and above what is expected. */
  variance: { fall: number; rise: number };
  /** What counts as one event: 1 for counts. */
  grain: number;
}

/** Added before a root is taken, in grains, so that the variance is the same for small counts (Anscombe 1948). */
const ROOT_OFFSET = 3 / 8;

/**
 * How many standard deviations a value is from what is expected. A fall is measured on the scale of square roots, a
 * rise on that of logarithms: what bursts does so by factors, but nothing falls further than to zero, and on the
 * scale of counts even zero is near in a series of wide spread.
 */
export function zOf(value: number, expectation: Expectation): number {
  const { expected, grain } = expectation;
  if (value >= expected) return Math.log((value + grain) / (expected + grain)) / logSpread(expectation);
  return (
    (Math.sqrt(value + ROOT_OFFSET * grain) - Math.sqrt(expected + ROOT_OFFSET * grain)) /
    rootSpread(expectation)
  );
}

/** The values that are less than so many standard deviations from what is expected. */
export function rangeWithin(z: { fall: number; rise: number }, expectation: Expectation) {
  const { expected, grain } = expectation;
  const root = Math.sqrt(expected + ROOT_OFFSET * grain) - z.fall * rootSpread(expectation);
  return {
    low: Math.max(0, Math.max(0, root) ** 2 - ROOT_OFFSET * grain),
    high: (expected + grain) * Math.exp(z.rise * logSpread(expectation)) - grain,
  };
}

/** The variance that chance alone gives the log of a value. */
export function chanceVariance({ expected, grain }: Expectation): number {
  return grain / (expected + grain);
}

function logSpread(expectation: Expectation): number {
  return Math.sqrt(expectation.variance.rise + chanceVariance(expectation));
}

function rootSpread({ expected, variance, grain }: Expectation): number {
  return Math.sqrt(grain + variance.fall * expected) / 2;
}
