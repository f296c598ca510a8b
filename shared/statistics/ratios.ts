import { countDeviation } from './counts.ts';
import type { Deviation } from './deviation.ts';

/** Integer counts of one window: numerator `of` and denominator `to`, such as purchases and views. */
export interface Ratio {
  of: number;
  to: number;
}

/** A window's ratio and its baseline. */
export interface RatioPair {
  current: Ratio;
  baseline: Ratio;
}

/** With a smaller expected cell, the normal approximation is poor (Cochran, Biometrics 10, 1954). */
const SMALL_CELL = 5;

/** Relative tolerance for equal probabilities of tables, because of rounding (the same as in R). */
const AS_LIKELY = 1 + 1e-7;

/**
 * Fisher's exact p if the counts are too small for the normal approximation, else `null`; also `null` if a ratio exceeds
 * 1. A lower bound of the p of the test.
 */
export function exactRatioP(pair: RatioPair): number | null {
  return isOfShares(pair) && smallestCell(pair) < SMALL_CELL ? fisherP(pair) : null;
}

/**
 * The deviations of the pair under test and of its past, all on one scale. If all ratios are shares, these are log odds
 * with 1/2 added to each cell. If one exceeds 1 (two purchases per view), these are log rates as for counts, with `to`
 * as the exposure.
 */
export function ratioDeviations(pair: RatioPair, past: readonly RatioPair[]): [Deviation, ...Deviation[]] {
  if (!isOfShares(pair) || !past.every(isOfShares)) return rateDeviations(pair, past);
  return [oddsDeviation(pair), ...past.map(oddsDeviation)];
}

/** The same as log rates, for a count that is not part of the other, such as purchases per session. */
export function rateDeviations(pair: RatioPair, past: readonly RatioPair[]): [Deviation, ...Deviation[]] {
  return [rateDeviation(pair), ...past.map(rateDeviation)];
}

/** Whether both ratios are shares, at most 1. A window of 0 to 0 counts as a share. */
function isOfShares({ current, baseline }: RatioPair): boolean {
  return current.of <= current.to && baseline.of <= baseline.to;
}

/** As for counts, the variance uses the share pooled over both windows. */
function oddsDeviation({ current, baseline }: RatioPair): Deviation {
  const share = (current.of + baseline.of + 1) / (current.to + baseline.to + 2);
  const logit = ({ of, to }: Ratio) => Math.log((of + 0.5) / (to - of + 0.5));
  const variance = ({ to }: Ratio) => 1 / ((to + 1) * share) + 1 / ((to + 1) * (1 - share));
  return { change: logit(current) - logit(baseline), chance: variance(current) + variance(baseline) };
}

/** A denominator of 0 counts as 1/2, so that the rate stays finite. */
function rateDeviation({ current, baseline }: RatioPair): Deviation {
  const exposed = ({ of, to }: Ratio) => ({ amount: of, exposure: Math.max(to, 0.5) });
  return countDeviation({ current: exposed(current), baseline: exposed(baseline) });
}

/**
 * Fisher's exact test, two-sided: given all margins, the probability of all tables at most as likely as the observed
 * one. Not mid-p, so it is conservative for small counts and agrees with other tools. Takes time proportional to the
 * smallest margin.
 */
export function fisherP({ current, baseline }: RatioPair): number {
  const all = current.to + baseline.to;
  const of = current.of + baseline.of;
  const [least, most] = [Math.max(0, of - baseline.to), Math.min(of, current.to)];
  // The ratio of the probabilities of successive tables is known. Logarithms avoid underflow.
  const logs = [0];
  for (let k = least; k < most; k++)
    logs.push(
      (logs.at(-1) ?? 0) +
        Math.log(((of - k) * (current.to - k)) / ((k + 1) * (all - of - current.to + k + 1))),
    );
  const highest = logs.reduce((one, other) => Math.max(one, other));
  const weights = logs.map((log) => Math.exp(log - highest));
  const seen = (weights[current.of - least] ?? 0) * AS_LIKELY;
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return Math.min(1, sum(weights.filter((weight) => weight <= seen)) / sum(weights));
}

/** The smallest expected count of the four cells if both windows have the same share. */
function smallestCell({ current, baseline }: RatioPair): number {
  const all = current.to + baseline.to;
  const of = current.of + baseline.of;
  return (Math.min(current.to, baseline.to) * Math.min(of, all - of)) / all || 0;
}
