/** The distribution of a value, predicted before it is observed. */
export interface Expectation {
  /** The expected value from the season alone. */
  seasonal: number;
  /** `seasonal` with the carry-over from the previous window. */
  expected: number;
  /** Variance of the log rate beyond chance, below and above the expected value. */
  variance: { fall: number; rise: number };
  /** The value of one event: 1 for counts. */
  grain: number;
}

/** Added before the square root, in grains, so that the variance is stable for small counts too (Anscombe 1948). */
const ROOT_OFFSET = 3 / 8;

/** Lower bound of the spread beyond chance, against division by 0. Smaller values have no effect on z. */
const LEAST_SPREAD = 1e-4;

/**
 * The distance of a value from its expected value in standard deviations, on a variance-stabilising scale. Rises use
 * the transform of the negative binomial (Anscombe 1948): a square root for small counts, a logarithm for large ones,
 * because bursts multiply. Falls use the square root for all counts: on a log scale, z would hardly separate a bad day
 * from a day of zero events.
 */
export function zOf(value: number, expectation: Expectation): number {
  const { expected, grain } = expectation;
  if (value < expected) return (rootOf(value, grain) - rootOf(expected, grain)) / fallSpread(expectation);
  const spread = riseSpread(expectation);
  return (
    (Math.asinh(spread * rootOf(value, grain)) - Math.asinh(spread * rootOf(expected, grain))) * (2 / spread)
  );
}

/** The range of values within `z` standard deviations of the expected value. */
export function rangeWithin(z: { fall: number; rise: number }, expectation: Expectation) {
  const { expected, grain } = expectation;
  const spread = riseSpread(expectation);
  const root = rootOf(expected, grain);
  return {
    low: valueAt(Math.max(0, root - z.fall * fallSpread(expectation)), grain),
    high: valueAt(Math.sinh(Math.asinh(spread * root) + (z.rise * spread) / 2) / spread, grain),
  };
}

/** Variance of the log of a value by chance alone. */
export function chanceVariance({ expected, grain }: Expectation): number {
  return grain / (expected + grain);
}

function rootOf(value: number, grain: number): number {
  return Math.sqrt(value / grain + ROOT_OFFSET);
}

function valueAt(root: number, grain: number): number {
  return Math.max(0, root ** 2 - ROOT_OFFSET) * grain;
}

/** Standard deviation of the square root of a value. */
function fallSpread({ expected, variance, grain }: Expectation): number {
  return Math.sqrt(1 + (variance.fall * expected) / grain) / 2;
}

function riseSpread({ variance }: Expectation): number {
  return Math.max(LEAST_SPREAD, Math.sqrt(variance.rise));
}
