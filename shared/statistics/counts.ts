import type { Deviation } from './deviation.ts';

/**
 * An amount and its exposure: a count and its hours, or the total of a mean (mean times weight) and its weight. Only
 * ratios of exposures matter, so they can have any unit.
 */
export interface Exposed {
  amount: number;
  exposure: number;
}

/** A period and its baseline. Past pairs have the same lag as the pair under test. */
export interface ExposedPair {
  current: Exposed;
  baseline: Exposed;
}

/**
 * The log ratio of two rates, with 1/2 added to each amount so that zero stays finite
 * (Anscombe's correction, Biometrika 43, 1956), and its variance if both amounts are Poisson with one rate
 * (delta method). The rate is pooled over both, as in a score test. With separate rates, a fall to zero would be less
 * significant than a deep fall.
 */
export function countDeviation(pair: ExposedPair): Deviation {
  return { change: changeOf(pair), chance: chanceOf(pair.current, pair) + chanceOf(pair.baseline, pair) };
}

/**
 * The same for two means; the exposures are their numbers of sessions or users. The seconds of a session are not
 * independent events, so the variance by chance is at least `1 / n` for n sessions. That is the variance if the
 * standard deviation between sessions equals their mean.
 */
export function meanDeviation(pair: ExposedPair): Deviation {
  const chance = (of: Exposed) => Math.max(chanceOf(of, pair), 1 / of.exposure);
  return { change: changeOf(pair), chance: chance(pair.current) + chance(pair.baseline) };
}

/**
 * The same for the averages of a value with any unit, such as a price. The unit is the average of both windows, so that
 * it makes no difference. `undefined` if an average is negative, or both are zero: such averages have no ratio.
 */
export function averageDeviation(pair: ExposedPair): Deviation | undefined {
  const { current, baseline } = pair;
  const unit = (current.amount + baseline.amount) / (current.exposure + baseline.exposure);
  if (Math.min(current.amount, baseline.amount) < 0 || unit === 0) return undefined;
  const inUnits = (of: Exposed) => ({ ...of, amount: of.amount / unit });
  return meanDeviation({ current: inUnits(current), baseline: inUnits(baseline) });
}

/** An amount that is the sum of a value over `events`. */
export interface Summed extends Exposed {
  events: number;
}

/** By chance the number of events varies, and so do their values: by as much as their mean. */
const SUM_TO_COUNT = 2;

/**
 * The same for two sums of a value over events, such as a revenue. The sum of a Poisson number of values has the relative
 * variance `(1 + v) / n`, where v is the squared coefficient of variation of the values, which is assumed to be 1. Sums
 * are counted in units of the average value of both windows. `undefined` if a sum is negative, or both are zero.
 */
export function sumDeviation(current: Summed, baseline: Summed): Deviation | undefined {
  const unit = (current.amount + baseline.amount) / (current.events + baseline.events);
  if (Math.min(current.amount, baseline.amount) < 0 || !(unit > 0 && unit < Infinity)) return undefined;
  const inUnits = ({ amount, exposure }: Summed) => ({ amount: amount / unit, exposure });
  const { change, chance } = countDeviation({ current: inUnits(current), baseline: inUnits(baseline) });
  return { change, chance: SUM_TO_COUNT * chance };
}

function changeOf({ current, baseline }: ExposedPair): number {
  return (
    Math.log((current.amount + 0.5) / (baseline.amount + 0.5)) -
    Math.log(current.exposure / baseline.exposure)
  );
}

function chanceOf({ exposure }: Exposed, { current, baseline }: ExposedPair): number {
  const rate = (current.amount + baseline.amount) / (current.exposure + baseline.exposure);
  return 1 / (rate * exposure + 0.5);
}
