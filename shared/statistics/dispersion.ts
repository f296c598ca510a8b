import type { Deviation, Dispersion, Spread } from './deviation.ts';
import { tailOfPast } from './past-tail.ts';
import { ASSUMED_DISPERSION, assumedShare, drawnSpread, pairsOfTail, uncertaintyOf } from './short-past.ts';

/** So much of a spread is put down to whole periods before any of it is to clustering. */
const TAU_BEFORE_CLUSTERING = 0.15;

/** A widening for what a past learned of itself is for pasts of at least so many pairs; others borrow most of it. */
const WIDENED_FROM = 8;

/** More events to a session than this are rare; what varies more does so for other reasons. */
const MAXIMUM_CLUSTERING = 4;

/** Scales a median absolute deviation to the standard deviation of a normal distribution. */
const MAD_TO_SIGMA = 1.4826;

/** That of a past, by medians, so that no incident counts. */
export function spreadOf(past: readonly Deviation[]): Spread {
  return {
    seen: (MAD_TO_SIGMA * median(past.map(({ change }) => Math.abs(change)))) ** 2,
    chance: median(past.map(({ chance }) => chance)),
  };
}

/**
 * What exceeds chance is put down to clustering first, up to `MAXIMUM_CLUSTERING`, and beyond that to `tau`: with small
 * counts the two cannot be told apart, and a tau learned from them would make the test deaf to large ones.
 */
export function dispersionOf({ seen, chance }: Spread): Dispersion {
  const excess = (seen - TAU_BEFORE_CLUSTERING ** 2) / chance;
  const clustering = Math.min(MAXIMUM_CLUSTERING, Math.max(1, excess));
  return { clustering, tau: Math.sqrt(Math.max(0, seen - clustering * chance)) };
}

/** What a spread with a short past was drawn towards. */
export interface Borrowed {
  tau: number;
  from: 'other series' | 'other segments';
}

/** Where less than this of a spread is borrowed, it is the series' own. */
export const NOTABLE_SHARE = 0.25;

/** The dispersion that a series' past teaches, drawn towards what is assumed of it as far as that past is short. */
export function historicalDispersion(
  past: readonly Deviation[],
  assumed: Dispersion = ASSUMED_DISPERSION.day,
): Dispersion {
  if (past.length === 0) return assumed;
  const uncertainty = uncertaintyOf(past);
  return dispersionOf(drawnSpread(spreadOf(past), past.length, { uncertainty, assumed }));
}

/** The deviation in standard deviations: `change / sqrt(tau^2 + clustering * chance)`. */
export function standardised({ change, chance }: Deviation, { clustering, tau }: Dispersion): number {
  return change / Math.sqrt(tau ** 2 + clustering * chance);
}

/**
 * The past in standard deviations. They look smaller than those to come, as each had its part in the dispersion that
 * it is measured by; the widening that undoes this was found by simulation (from 8 pairs to 56, with light and
 * heavy tails).
 */
export function standardisedPast(past: readonly Deviation[], dispersion: Dispersion): number[] {
  const widening = past.length < WIDENED_FROM ? 1 : Math.sqrt(1 + 3 / past.length);
  return past.map((each) => widening * standardised(each, dispersion));
}

export interface DispersedTest extends Dispersion {
  /** The change in standard deviations; negative for a fall. */
  z: number;
  /** Two-sided, by the series' own past (see `tailOfPast`). */
  p: number;
  /** Past pairs that dispersion and tail were learned from. */
  pairs: number;
  /** `null` where the spread is the series' own. */
  borrowed: Borrowed | null;
}

/** Whether a period differs from its baseline by more than this series usually does. */
export function dispersedTest(
  deviation: Deviation,
  past: readonly Deviation[],
  assumed: Dispersion = ASSUMED_DISPERSION.day,
): DispersedTest {
  const dispersion = historicalDispersion(past, assumed);
  const z = standardised(deviation, dispersion);
  const isBorrowed = assumedShare(uncertaintyOf(past)) > NOTABLE_SHARE;
  const p = tailOfPast(standardisedPast(past, dispersion), pairsOfTail(past))(z);
  const borrowed = isBorrowed ? { tau: assumed.tau, from: 'other series' as const } : null;
  return { z, p, ...dispersion, pairs: past.length, borrowed };
}

/** `NaN` of nothing. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values);
  if (sorted.length > FEW) sorted.sort();
  else insertionSort(sorted);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 ? high : (high + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** To call the engine's sort for a handful of weeks takes longer than to put them in order. */
const FEW = 16;

function insertionSort(values: Float64Array): void {
  for (let i = 1; i < values.length; i++) {
    const value = values[i] ?? 0;
    let at = i;
    for (; at > 0 && (values[at - 1] ?? 0) > value; at--) values[at] = values[at - 1] ?? 0;
    values[at] = value;
  }
}
