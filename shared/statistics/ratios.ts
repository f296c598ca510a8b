import { countDeviation } from './counts.ts';
import type { Deviation, Dispersion } from './deviation.ts';
import { type DispersedTest, dispersedTest } from './dispersion.ts';

/** So many `of` to so many `to`, such as purchases to views: whole counts of one window. */
export interface Ratio {
  of: number;
  to: number;
}

/** A window's ratio and its baseline. */
export interface RatioPair {
  current: Ratio;
  baseline: Ratio;
}

export interface RatioTest extends DispersedTest {
  /** Current minus baseline, with its 95 % interval by chance alone; `null` where one of them is no share. */
  difference: { value: number; low: number; high: number } | null;
  /** Fisher's exact p where the counts are too small for logarithms, `null` elsewhere; `p` is never below it. */
  exactP: number | null;
}

/** Half of a 95 % interval of a normal distribution, in standard deviations. */
const Z_95 = 1.959963984540054;

/** With an expected cell under this no normal distribution is near (Cochran, Biometrics 10, 1954). */
const SMALL_CELL = 5;

/** Tables whose probabilities differ by less are as likely as each other: that is rounding (as in R). */
const AS_LIKELY = 1 + 1e-7;

/**
 * Whether a ratio differs from its baseline by more than this series usually does. The test is that of counts, on the
 * logit scale: a share of 90 % has little room above. See `ratioDeviations` for ratios above 1.
 */
export function ratioTest(pair: RatioPair, past: readonly RatioPair[], assumed?: Dispersion): RatioTest {
  const [deviation, ...earlier] = ratioDeviations(pair, past);
  const test = dispersedTest(deviation, earlier, assumed);
  if (!isOfShares(pair)) return { ...test, difference: null, exactP: null };
  const exactP = smallestCell(pair) < SMALL_CELL ? fisherP(pair) : null;
  return { ...test, p: Math.max(test.p, exactP ?? 0), difference: newcombeDifference(pair), exactP };
}

/**
 * The pair under test and those before it, all on one scale. Where every ratio is a share that is the log odds, with 1/2
 * added to each cell; where one exceeds 1 (two purchases to a view) it is the log rate of `of` with `to` as its exposure,
 * as for counts.
 */
export function ratioDeviations(pair: RatioPair, past: readonly RatioPair[]): [Deviation, ...Deviation[]] {
  const deviationOf = isOfShares(pair) && past.every(isOfShares) ? oddsDeviation : rateDeviation;
  return [deviationOf(pair), ...past.map(deviationOf)];
}

/** Whether no part exceeds its whole; a window without any `to` passes where it has no `of` either. */
function isOfShares({ current, baseline }: RatioPair): boolean {
  return current.of <= current.to && baseline.of <= baseline.to;
}

/** As for counts, the variance is that of a share pooled over both windows. */
function oddsDeviation({ current, baseline }: RatioPair): Deviation {
  const share = (current.of + baseline.of + 1) / (current.to + baseline.to + 2);
  const logit = ({ of, to }: Ratio) => Math.log((of + 0.5) / (to - of + 0.5));
  const variance = ({ to }: Ratio) => 1 / ((to + 1) * share) + 1 / ((to + 1) * (1 - share));
  return { change: logit(current) - logit(baseline), chance: variance(current) + variance(baseline) };
}

/** Without any `to` there is no rate: half a one stands for it, as half an event does for none. */
function rateDeviation({ current, baseline }: RatioPair): Deviation {
  const exposed = ({ of, to }: Ratio) => ({ amount: of, exposure: Math.max(to, 0.5) });
  return countDeviation({ current: exposed(current), baseline: exposed(baseline) });
}

/**
 * The difference of two shares with its 95 % interval from the two Wilson intervals, without continuity correction
 * (Newcombe, Statistics in Medicine 17, 1998, method 10).
 */
export function newcombeDifference({ current, baseline }: RatioPair): {
  value: number;
  low: number;
  high: number;
} {
  const [now, before] = [wilsonInterval(current), wilsonInterval(baseline)];
  const value = now.share - before.share;
  return {
    value,
    low: value - Math.hypot(now.share - now.low, before.high - before.share),
    high: value + Math.hypot(now.high - now.share, before.share - before.low),
  };
}

/** A share with its 95 % interval (Wilson 1927). Of nothing it may be anything from 0 to 1. */
export function wilsonInterval({ of, to }: Ratio): { share: number; low: number; high: number } {
  if (to === 0) return { share: 0.5, low: 0, high: 1 };
  const square = Z_95 ** 2;
  const centre = (of + square / 2) / (to + square);
  const half = (Z_95 / (to + square)) * Math.sqrt((of * (to - of)) / to + square / 4);
  return { share: of / to, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}

/**
 * Fisher's exact test, two-sided: given all margins, the probability of tables no likelier than the one seen. No mid-p:
 * it is to be safe where there is little, and to be found again with any other tool. Takes as many steps as the
 * smallest margin is large.
 */
export function fisherP({ current, baseline }: RatioPair): number {
  const all = current.to + baseline.to;
  const of = current.of + baseline.of;
  const [least, most] = [Math.max(0, of - baseline.to), Math.min(of, current.to)];
  // From one table to the next the probability changes by a known ratio; logarithms hold the whole range.
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

/** The smallest count to be expected in any of the four cells if both windows had one share. */
function smallestCell({ current, baseline }: RatioPair): number {
  const all = current.to + baseline.to;
  const of = current.of + baseline.of;
  return (Math.min(current.to, baseline.to) * Math.min(of, all - of)) / all || 0;
}
