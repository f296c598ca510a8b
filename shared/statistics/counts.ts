import binomialCdf from '@stdlib/stats-base-dists-binomial-cdf';
import binomialPmf from '@stdlib/stats-base-dists-binomial-pmf';
import studentCdf from '@stdlib/stats-base-dists-t-cdf';

/**
 * How much was seen and over how much: a count over hours, or the total of a mean (mean times weight) over its
 * weight. Only ratios of exposures matter, so any unit does.
 */
export interface Exposed {
  amount: number;
  exposure: number;
}

/** A past period and its baseline, at the same lag as the pair under test. */
export interface ExposedPair {
  current: Exposed;
  baseline: Exposed;
}

/** Fewer comparable past pairs than this teach nothing; the default dispersion stands in. */
export const MINIMUM_PAIRS = 8;

/** Dispersion assumed without history: two quiet periods of one series typically differ by some 15 %. */
export const DEFAULT_TAU = 0.15;

/** More events to a session than this are rare; what varies more does so for other reasons. */
const MAXIMUM_CLUSTERING = 4;

/** The degrees of freedom are few because tau is itself learned from few pairs. */
const DEGREES_OF_FREEDOM = 5;

/** Scales a median absolute deviation to the standard deviation of a normal distribution. */
const MAD_TO_SIGMA = 1.4826;

/**
 * The log ratio of two rates, with 1/2 added to each amount so that zero stays finite
 * (Anscombe's correction, Biometrika 43, 1956).
 */
export function logRateRatio({ current, baseline }: ExposedPair): number {
  return (
    Math.log((current.amount + 0.5) / (baseline.amount + 0.5)) -
    Math.log(current.exposure / baseline.exposure)
  );
}

/**
 * The variance of the log ratio if both amounts were Poisson and of one rate (delta method). The rate is pooled
 * over both, as in a score test: with each amount's own, a full stop would seem less sure than a deep fall.
 */
function poissonVariance({ current, baseline }: ExposedPair): number {
  const rate = (current.amount + baseline.amount) / (current.exposure + baseline.exposure);
  return 1 / (rate * current.exposure + 0.5) + 1 / (rate * baseline.exposure + 0.5);
}

/** How much more than Poisson a series varies from period to period. */
export interface Dispersion {
  /** What happens comes in clusters (a session that rages does so more than once): multiplies Poisson variance. */
  clustering: number;
  /** Whole periods differ by this standard deviation of the log rate, however much is counted. */
  tau: number;
}

/**
 * The dispersion of a series' log ratios in its past, by medians, so that a past incident does not deafen the test.
 * What exceeds Poisson is put down to clustering first, up to `MAXIMUM_CLUSTERING`, and beyond that to `tau`: with
 * small counts the two cannot be told apart, and a tau learned from them would make the test deaf to large ones.
 * With fewer than `MINIMUM_PAIRS` it is `DEFAULT_TAU` and no clustering.
 */
export function historicalDispersion(past: ExposedPair[]): Dispersion {
  if (past.length < MINIMUM_PAIRS) return { clustering: 1, tau: DEFAULT_TAU };
  const spread = (MAD_TO_SIGMA * median(past.map((pair) => Math.abs(logRateRatio(pair))))) ** 2;
  const poisson = median(past.map(poissonVariance));
  const clustering = Math.min(MAXIMUM_CLUSTERING, Math.max(1, (spread - DEFAULT_TAU ** 2) / poisson));
  return { clustering, tau: Math.sqrt(Math.max(0, spread - clustering * poisson)) };
}

export interface CountTest {
  /** Standardised log ratio; negative for a fall. */
  z: number;
  /** Two-sided, from Student's t with 5 degrees of freedom. */
  p: number;
  clustering: number;
  tau: number;
  pairs: number;
}

/**
 * Whether a rate differs from its baseline by more than this series usually does from period to period:
 * `z = ln(rate ratio) / sqrt(tau^2 + c (1/(a' + 1/2) + 1/(b' + 1/2)))`, where c is the clustering and a' and b' are
 * the amounts that both periods would have at their pooled rate.
 *
 * The exact test of two Poisson rates rejects a quarter to three quarters of quiet periods on real series at a
 * nominal 1 %, because real counts vary more than Poisson; the excess is measured on the past.
 */
export function dispersedCountTest(pair: ExposedPair, past: ExposedPair[]): CountTest {
  const { clustering, tau } = historicalDispersion(past);
  const z = logRateRatio(pair) / Math.sqrt(tau ** 2 + clustering * poissonVariance(pair));
  return { z, p: 2 * studentCdf(-Math.abs(z), DEGREES_OF_FREEDOM), clustering, tau, pairs: past.length };
}

/**
 * The textbook test of two Poisson counts: given their sum, the current one is binomial with its share of the
 * exposure. Two-sided mid-p (Lancaster 1961). Counts must be whole; it knows no dispersion, so it is shown and
 * never decides.
 */
export function exactConditionalP({ current, baseline }: ExposedPair): number {
  const n = current.amount + baseline.amount;
  if (n === 0) return 1;
  const share = current.exposure / (current.exposure + baseline.exposure);
  const at = binomialPmf(current.amount, n, share);
  const upTo = binomialCdf(current.amount, n, share);
  const lower = upTo - at / 2;
  return Math.min(1, 2 * Math.max(0, Math.min(lower, 1 - lower)));
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [
    sorted[sorted.length % 2 ? middle : middle - 1],
    sorted[middle],
  ];
  return (low + high) / 2;
}
