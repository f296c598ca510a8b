import type { Deviation, Dispersion, Spread } from './deviation.ts';
import { tailOfPast } from './past-tail.ts';
import { ASSUMED_DISPERSION, pairsOfTail, shrunkSpread, uncertaintyOf } from './short-past.ts';

/** Up to this standard deviation, a spread is attributed to `tau` first, and only the rest to clustering. */
const TAU_BEFORE_CLUSTERING = 0.15;

/** Minimum pairs for the small-sample correction. Shorter pasts borrow most of their spread. */
const CORRECTED_FROM = 8;

/** Maximum clustering: more events per session are rare, so a larger variance has other causes. */
const MAXIMUM_CLUSTERING = 4;

/** Scales a median absolute deviation to the standard deviation of a normal distribution. */
const MAD_TO_SIGMA = 1.4826;

/** The spread of a past, from medians, so that incidents have no influence. */
export function spreadOf(past: readonly Deviation[]): Spread {
  return {
    seen: (MAD_TO_SIGMA * median(past.map(({ change }) => Math.abs(change)))) ** 2,
    chance: median(past.map(({ chance }) => chance)),
  };
}

/**
 * Splits a spread into clustering and `tau`. The excess over chance is attributed to clustering first, up to
 * `MAXIMUM_CLUSTERING`, and the rest to `tau`. Small counts cannot separate the two, and a `tau` estimated from them
 * would make the test insensitive at large counts.
 */
export function dispersionOf({ seen, chance }: Spread): Dispersion {
  const excess = (seen - TAU_BEFORE_CLUSTERING ** 2) / chance;
  const clustering = Math.min(MAXIMUM_CLUSTERING, Math.max(1, excess));
  return { clustering, tau: Math.sqrt(Math.max(0, seen - clustering * chance)) };
}

/** The dispersion estimated from a series' past, shrunk towards `assumed`: the shorter the past, the more. */
export function historicalDispersion(
  past: readonly Deviation[],
  assumed: Dispersion = ASSUMED_DISPERSION.day,
): Dispersion {
  if (past.length === 0) return assumed;
  const uncertainty = uncertaintyOf(past);
  return dispersionOf(shrunkSpread(spreadOf(past), past.length, { uncertainty, assumed }));
}

/** The deviation in standard deviations: `change / sqrt(tau^2 + clustering * chance)`. */
export function standardised({ change, chance }: Deviation, { clustering, tau }: Dispersion): number {
  return change / Math.sqrt(tau ** 2 + clustering * chance);
}

/**
 * The past in standard deviations. Past deviations are biased towards 0, because the dispersion was estimated from
 * them. The factor that corrects this comes from simulations with 8 to 56 pairs and light and heavy tails.
 */
export function standardisedPast(past: readonly Deviation[], dispersion: Dispersion): number[] {
  const correction = past.length < CORRECTED_FROM ? 1 : Math.sqrt(1 + 3 / past.length);
  return past.map((each) => correction * standardised(each, dispersion));
}

export interface DispersedTest extends Dispersion {
  /** The change in standard deviations; negative for a fall. */
  z: number;
  /** Two-sided, from the series' own past (see `tailOfPast`). */
  p: number;
  /** Number of past pairs that dispersion and tail were estimated from. */
  pairs: number;
}

/**
 * Tests whether a period differs from its baseline by more than the normal variation of this series between periods. For
 * counts: `z = ln(rate ratio) / sqrt(tau^2 + c (1/(a' + 1/2) + 1/(b' + 1/2)))`, where c is the clustering and a' and b'
 * are the expected amounts of both periods at their pooled rate.
 *
 * At a nominal 1%, the exact test of two Poisson rates rejects 25% to 75% of quiet periods of real series, because
 * real counts are overdispersed. This test estimates the overdispersion and the tail from the series' past.
 */
export function dispersedTest(
  deviation: Deviation,
  past: readonly Deviation[],
  assumed: Dispersion = ASSUMED_DISPERSION.day,
): DispersedTest {
  const dispersion = historicalDispersion(past, assumed);
  const z = standardised(deviation, dispersion);
  const p = tailOfPast(standardisedPast(past, dispersion), pairsOfTail(past))(z);
  return { z, p, ...dispersion, pairs: past.length };
}

/** `NaN` if `values` is empty. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? high : (high + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
