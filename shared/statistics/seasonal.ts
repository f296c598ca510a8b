import { Allowances } from './allowances.ts';
import { Autoregression } from './autoregression.ts';
import { chanceVariance, cutTo, type FallScale, logRatio, shifted, zOf } from './expectation.ts';
import type { Occasion } from './occasions.ts';
import {
  compare,
  type Fit,
  type Limits,
  limitsOf,
  type Prior,
  rangeOf,
  withExpected,
  withoutCarry,
} from './seasonal-comparison.ts';
import { SeasonalProfile } from './seasonal-profile.ts';
import { RiseSize, SeasonalSpread } from './seasonal-spread.ts';
import { APART, ratioOf, SeasonalSum, type SumDeviation } from './seasonal-sum.ts';
import { LIMIT_FACTORS, type Seasonality, type Sensitivity } from './seasonality.ts';

/**
 * A count is a sum of random events. The variance of a mean is only known from its past. Both are >= 0.
 */
export type Measure = 'count' | 'mean';

/** One closed window of a series. */
export interface Observation {
  /** Index in the season by local time, from 0. A change of clocks repeats or skips one. */
  slot: number;
  /** Length relative to a normal window: 23/24 for a short day. */
  exposure: number;
  /** `null` if unknown. */
  value: number | null;
  /** What is special about its day, if anything. */
  occasion?: Occasion | undefined;
}

/** How a value compares with the expected one. Values from `low` to `high` are within the limits. */
export interface Surprise {
  expected: number;
  low: number;
  high: number;
  /** In standard deviations, or in units of the usual size if that fires; negative for a fall. */
  z: number;
  /** The limit of `|z|`. A value near the season is within the limits, even if its z is larger. */
  limit: number;
  /** The largest deviation, of the window or of a sum, as a multiple of its limit; 0 near the season. */
  ratio: number;
  isBeyond: boolean;
  /** How many of the `remembered` days had a deviation at least as large in this direction. */
  larger: number;
  remembered: number;
  /**
   * Whether it is within the limits of the season's expected value, without the carry-over from the previous window, and
   * no sum is beyond its limit.
   */
  isUsual: boolean;
  /** The sums over several windows that end with this one. A known one is beyond if its `|z|` is at least its limit. */
  sums: SumDeviation[];
  /** The largest of the sums that are beyond, if the window alone is not. */
  sum?: SumDeviation;
}

/**
 * How a window is learned. The first window of an incident is learned like a usual one, so that a slot with a wrong
 * expectation stops firing. Other windows of an incident, and holidays, change no expectation. Sums restart after an
 * incident.
 */
export type LearnedAs = 'usual' | 'first of an incident' | 'incident';

/** A deviation: the expected and the observed value. */
export interface Gap {
  from: number;
  to: number;
}

/** A value for a sum is cut at this many standard deviations from the season, so that one outlier does not make a sum. */
const CUT_IN_SUMS = 4;

/** A sum is only beyond if the last window deviates in the same direction by this part of its log ratio: it goes on. */
const PART_OF_SUM = 0.5;

/** A mean has no events, so this fraction of its last level above 0 is its grain. */
const MEAN_GRAIN = 1e-4;

/**
 * The season, level and spread of a series, learned window by window in constant time and memory. The evaluation of a
 * window depends only on the windows before it.
 */
export class SeasonalModel {
  readonly #profile: SeasonalProfile;
  readonly #carry = new Autoregression();
  readonly #spread: SeasonalSpread;
  readonly #riseSize: RiseSize;
  readonly #limits: Limits;
  readonly #allowances: Allowances;
  readonly #measure: Measure;
  readonly #cutAt: number;
  readonly #falls: FallScale;
  readonly #sums: readonly SeasonalSum[];
  /** Log deviation of the previous window from the season; 0 if its value is unknown. */
  #previous = 0;
  /** How many windows in a row were usual during the open incident. */
  #usual = 0;
  #next: { slot: number; exposure: number; prior: Prior | undefined; fit: Fit | undefined } | undefined;

  constructor(seasonality: Seasonality, measure: Measure = 'count', sensitivity: Sensitivity = 'normal') {
    const { slots, memory, floors, factor, cutAt, falls, sums } = seasonality;
    const windowsADay = slots / 7;
    this.#profile = new SeasonalProfile(seasonality);
    this.#spread = new SeasonalSpread(seasonality);
    this.#riseSize = new RiseSize(seasonality);
    const span = { days: memory / windowsADay, windowsADay, factor: factor * LIMIT_FACTORS[sensitivity] };
    this.#limits = limitsOf(span, floors);
    this.#allowances = new Allowances(windowsADay);
    this.#measure = measure;
    this.#cutAt = cutAt;
    this.#falls = falls;
    this.#sums = sums.map((shape) => new SeasonalSum(shape, { memory, span, measure }));
  }

  /** Evaluates the next window without learning from it; `undefined` for an unknown value or too short a history. */
  surpriseOf(observation: Observation): Surprise | undefined {
    const prior = this.#expect(observation);
    const { value } = observation;
    if (!prior || value === null) return undefined;
    const fit = this.#fit(prior, value);
    const inSums = valueInSums(prior, value);
    const sums = this.#sums.flatMap((sum) => sum.deviationOf(inSums) ?? []);
    const { grain } = prior.seasonal;
    const own = logRatio(value, nearest(prior, value), grain);
    const [largest] = sums
      .filter((sum) => ratioOf(sum) >= Math.min(1, fit.ratio))
      .filter((sum) => own / logRatio(sum.value, sum.expected, grain) >= PART_OF_SUM)
      .toSorted((a, b) => ratioOf(b) - ratioOf(a));
    const ofSum = largest ? ratioOf(largest) : 0;
    const isOfSum = ofSum >= 1 && fit.ratio < 1;
    const ratio = Math.max(fit.ratio, ofSum);
    const by = fit.ratio >= 1 ? fit.by : 'carried';
    // A sum has no carry-over.
    const of = isOfSum || by === 'size' ? 'seasonal' : 'carried';
    const z = by === 'size' ? fit.deviations.size : zOf(value, (isOfSum ? prior : fit.prior)[of]);
    const limit = this.#limits[by].limitFor(z);
    const { larger, remembered } = this.#limits[by].rankOf(z);
    const { expected } = prior[of];
    const { low, high } = rangeOf(prior, this.#limits);
    const isUsual = ofSum < 1 && this.#compare(withoutCarry(prior), value).ratio < 1;
    return {
      ...{ expected, low, high, z, limit, ratio, isBeyond: ratio >= 1, larger, remembered, isUsual, sums },
      ...(isOfSum && { sum: largest }),
    };
  }

  /**
   * Whether the relative change from `from` to `to` would reach a limit in the next window, and the observed value is
   * apart from it. At night it may not. A value within the limits then does not show that the deviation is over. A sum
   * over usual windows may still show it, as it may be what fired.
   */
  canDetect(observation: Observation, { from, to }: Gap): boolean {
    const prior = this.#expect(observation);
    const { value: observed } = observation;
    if (!prior || observed === null) return false;
    const { expected, grain } = prior.seasonal;
    const change = logRatio(to, from, grain);
    const value = shifted(expected, change, grain);
    const apart = zOf(observed, { ...prior.seasonal, expected: value });
    const isApart = (change < 0 ? apart : -apart) >= APART;
    const ratio = Math.exp(change);
    const inSums = valueInSums(prior, observed);
    if (this.#sums.some((sum) => sum.showsEnd(inSums, ratio, this.#usual + 1))) return true;
    // Rises can be large by their size alone, where the spread is too wide to be apart.
    if (change < 0 && !isApart) return false;
    if (this.#compare(withoutCarry(prior), value).ratio >= 1) return true;
    return isApart && this.#sums.some((sum) => sum.canDetect(ratio));
  }

  /** Moves to the next window and learns from it. An unknown value changes no expectation. */
  learn(observation: Observation, as: LearnedAs = 'usual'): void {
    const { slot, exposure, value, occasion } = observation;
    const isOpen = as !== 'usual';
    this.#usual = as === 'incident' && this.surpriseOf(observation)?.isUsual ? this.#usual + 1 : 0;
    const teaches = as !== 'incident' && (!occasion || occasion.isNear);
    const prior = this.#expect(observation);
    const fit = prior && value !== null ? this.#fit(prior, value) : undefined;
    const learned = teaches ? fit?.deviations : undefined;
    this.#limits.carried.learn(learned?.carried);
    this.#limits.size.learn(learned?.size);
    const window =
      prior && value !== null ? { value: valueInSums(prior, value), share: this.#shareOf(prior) } : undefined;
    for (const sum of this.#sums) sum.learn({ window, teaches }, isOpen);
    this.#allowances.learn(observation, isOpen, prior && { ...prior, level: this.#profile.level });
    this.#next = undefined;
    if (value === null) this.#previous = 0;
    else if (prior) this.#learnFrom({ slot, value }, prior, teaches);
    else if (teaches) this.#profile.learn(slot, value / this.#lengthOf(exposure));
  }

  #learnFrom(
    { slot, value }: { slot: number; value: number },
    { carried, seasonal, length }: Prior,
    teaches: boolean,
  ): void {
    const { grain } = carried;
    const cut = cutTo(this.#cutAt, value, carried);
    const previous = this.#previous;
    // The carry-over describes the current state, so it is updated during an incident too.
    this.#previous = logRatio(cut, seasonal.expected, grain);
    if (!teaches) return;
    this.#carry.learn(previous, logRatio(cut, carried.expected, grain));
    const deviations = {
      carried: logRatio(value, carried.expected, grain),
      seasonal: logRatio(value, seasonal.expected, grain),
    };
    this.#spread.learn(slot, deviations, chanceVariance(carried.expected, grain));
    this.#riseSize.learn(value, seasonal.expected);
    this.#profile.learn(slot, cut / length);
  }

  #shareOf({ seasonal, length }: Prior): number {
    return this.#profile.level > 0 ? seasonal.expected / this.#profile.level : length;
  }

  /** A short day has fewer events, but the same mean. */
  #lengthOf(exposure: number): number {
    return this.#measure === 'count' ? exposure : 1;
  }

  /** The prior of the next window, cached between evaluating and learning. */
  #expect(observation: Observation): Prior | undefined {
    const { slot, exposure } = observation;
    if (this.#next?.slot === slot && this.#next.exposure === exposure) return this.#next.prior;
    const prior = this.#computePrior(observation);
    const carry = Math.max(0, this.#carry.coefficient);
    if (prior) for (const sum of this.#sums) sum.expect(this.#shareOf(prior), prior.seasonal, carry);
    this.#next = { slot, exposure, prior, fit: undefined };
    return prior;
  }

  #computePrior(observation: Observation): Prior | undefined {
    const { slot, exposure } = observation;
    const grain = this.#measure === 'count' ? 1 : MEAN_GRAIN * this.#profile.scale || 1;
    const rate = this.#profile.expectedIn(slot, grain);
    if (rate === undefined) return undefined;
    const length = this.#lengthOf(exposure);
    const expected = rate * length;
    const variances = this.#spread.variancesIn(slot);
    const carry = this.#carry.carriedFrom(this.#previous);
    const falls = this.#falls;
    const seasonal = { expected, variance: variances.seasonal, grain, falls };
    return {
      carried: { expected: shifted(expected, carry, grain), variance: variances.carried, grain, falls },
      seasonal,
      riseUnit: this.#riseSize.unitAt(seasonal),
      length,
      allowed: this.#allowances.around(observation, { seasonal, length, level: this.#profile.level }),
    };
  }

  #fit(prior: Prior, value: number): Fit {
    const next = this.#next;
    if (next?.fit?.value === value) return next.fit;
    const fit = this.#compare(prior, value);
    if (next) next.fit = fit;
    return fit;
  }

  /** The comparison with the prior or, if it fits better, with the nearest allowed value. */
  #compare(prior: Prior, value: number): Fit {
    const present = compare(prior, value, this.#limits);
    const near = nearest(prior, value);
    if (near === prior.seasonal.expected || present.ratio === 0) return present;
    const fit = compare(withExpected(prior, near), value, this.#limits);
    return fit.ratio < present.ratio ? fit : present;
  }
}

function nearest({ allowed: { low, high } }: Prior, value: number): number {
  return Math.min(high, Math.max(low, value));
}

/** The value as sums count it: without what is allowed. */
function valueInSums(prior: Prior, value: number): number {
  const { seasonal } = prior;
  const near = nearest(prior, value);
  const left = near === seasonal.expected ? value : value * (seasonal.expected / near);
  return cutTo(CUT_IN_SUMS, left, seasonal);
}
