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

/** Below this a spread beyond chance changes nothing but the rounding. */
const LEAST_SPREAD = 1e-4;

/**
 * How many standard deviations a value is from what is expected, on a scale on which every value of a series varies
 * alike. A rise is measured on that of the negative binomial (Anscombe 1948), which is of square roots for small
 * counts and of logarithms for large ones, since what bursts does so by factors. A fall is measured on that of square
 * roots throughout: on the scale of logarithms a bad day seems as far away as none at all.
 */
export function zOf(value: number, expectation: Expectation): number {
  const { expected, grain } = expectation;
  if (value < expected) return (rootOf(value, grain) - rootOf(expected, grain)) / fallSpread(expectation);
  const spread = riseSpread(expectation);
  return (
    (Math.asinh(spread * rootOf(value, grain)) - Math.asinh(spread * rootOf(expected, grain))) * (2 / spread)
  );
}

/** The values that are less than so many standard deviations from what is expected. */
export function rangeWithin(z: { fall: number; rise: number }, expectation: Expectation) {
  const { expected, grain } = expectation;
  const spread = riseSpread(expectation);
  const root = rootOf(expected, grain);
  return {
    low: valueAt(Math.max(0, root - z.fall * fallSpread(expectation)), grain),
    high: valueAt(Math.sinh(Math.asinh(spread * root) + (z.rise * spread) / 2) / spread, grain),
  };
}

/** The variance that chance alone gives the log of a value. */
export function chanceVariance({ expected, grain }: Expectation): number {
  return grain / (expected + grain);
}

function rootOf(value: number, grain: number): number {
  return Math.sqrt(value / grain + ROOT_OFFSET);
}

function valueAt(root: number, grain: number): number {
  return Math.max(0, root ** 2 - ROOT_OFFSET) * grain;
}

/** The standard deviation of the root of a value. */
function fallSpread({ expected, variance, grain }: Expectation): number {
  return Math.sqrt(1 + (variance.fall * expected) / grain) / 2;
}

function riseSpread({ variance }: Expectation): number {
  return Math.max(LEAST_SPREAD, Math.sqrt(variance.rise));
}
