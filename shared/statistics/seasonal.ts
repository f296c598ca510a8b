import { Anniversary } from './anniversary.ts';
import { Autoregression } from './autoregression.ts';
import { chanceVariance, type Expectation, rangeWithin, zOf } from './expectation.ts';
import { SeasonalLimit } from './seasonal-limit.ts';
import { SeasonalProfile } from './seasonal-profile.ts';
import { SeasonalSpread } from './seasonal-spread.ts';

/** The season of a series and the memory of its model, in windows. A season is a week. */
export interface Seasonality {
  slots: number;
  /** Length of the shorter season that is used until two weeks are known; divides `slots`. */
  subSlots: number;
  /** Windows in the moving average of the level. */
  level: number;
  /** Windows that the spread and the limit are estimated from. */
  memory: number;
  /**
   * Minimum deviation that fires, and maximum deviation that is learned, in standard deviations. Higher for hours than
   * for days, because more windows mean more false alarms.
   */
  floor: number;
}

export const HOURLY: Seasonality = { slots: 168, subSlots: 24, level: 168, memory: 8 * 168, floor: 5 };
export const DAILY: Seasonality = { slots: 7, subSlots: 7, level: 28, memory: 8 * 7, floor: 4 };

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
}

/** The expected value of a window, in its unit. Values from `low` to `high` are within the limit. */
export interface Forecast {
  expected: number;
  low: number;
  high: number;
}

/** How a value compares with its expectation. */
export interface Surprise extends Forecast {
  /** In standard deviations; negative for a fall. */
  z: number;
  /** The limit of `|z|` in this direction. */
  limit: number;
  isBeyond: boolean;
  /** How many of the `remembered` days had a deviation at least as large in this direction. */
  larger: number;
  remembered: number;
  /** Whether it is within the limit of the season's expected value, without the carry-over from the previous window. */
  isUsual: boolean;
  /** Whether the expected value is from about the same date a year ago. */
  isAsAYearAgo: boolean;
}

/** A deviation: the expected and the observed value. */
export interface Gap {
  from: number;
  to: number;
}

/** Factor on the limit while only the shorter season is known. */
const UNSETTLED = 4 / 3;

/** Minimum expected value, in grains. With an expected value of 0, every event would be infinitely surprising. */
const LEAST_GRAINS = 0.1;

/** A mean has no events, so this fraction of its level is its grain. */
const MEAN_GRAIN = 1e-4;

/**
 * The season, level and spread of a series, learned window by window in constant time and memory. The evaluation of a
 * window depends only on the windows before it.
 */
export class SeasonalModel {
  readonly #profile: SeasonalProfile;
  readonly #carry = new Autoregression();
  readonly #spread: SeasonalSpread;
  readonly #limit: SeasonalLimit;
  readonly #anniversary: Anniversary;
  readonly #measure: Measure;
  readonly #floor: number;
  /** Log deviation of the previous window; 0 if its value is unknown. */
  #previous = 0;
  #next: { slot: number; exposure: number; expectation: Expectation | undefined } | undefined;

  constructor(seasonality: Seasonality, measure: Measure = 'count') {
    const windowsADay = seasonality.slots / 7;
    this.#profile = new SeasonalProfile(seasonality);
    this.#spread = new SeasonalSpread(seasonality);
    const { memory, floor } = seasonality;
    this.#limit = new SeasonalLimit({ days: memory / windowsADay, windowsADay, floor });
    this.#anniversary = new Anniversary(windowsADay);
    this.#measure = measure;
    this.#floor = floor;
  }

  /** The forecast for the next window; `undefined` if there is too little history. */
  forecast(slot: number, exposure = 1): Forecast | undefined {
    const expectation = this.#expect(slot, exposure);
    return expectation && this.#forecastOf(expectation);
  }

  /** Evaluates the next window without learning from it; `undefined` for an unknown value or too short a history. */
  surpriseOf({ slot, exposure, value }: Observation): Surprise | undefined {
    const prior = this.#expect(slot, exposure);
    if (!prior || value === null) return undefined;
    const { expectation, isAsAYearAgo } = this.#fittest(prior, value);
    const z = zOf(value, expectation);
    const limit = this.#limitFor(z);
    const { larger, days: remembered } = this.#limit.rankOf(z);
    return {
      ...this.#forecastOf(expectation),
      ...{ z, limit, isBeyond: Math.abs(z) >= limit, larger, remembered },
      isUsual: Math.abs(zOf(value, { ...prior, expected: prior.seasonal })) < limit,
      isAsAYearAgo,
    };
  }

  /**
   * Whether the relative change from `from` to `to` would reach the limit in the next window. At night it may not. A
   * value within the limit then does not show that the deviation is over.
   */
  wouldTell({ slot, exposure }: Pick<Observation, 'slot' | 'exposure'>, { from, to }: Gap): boolean {
    const prior = this.#expect(slot, exposure);
    if (!prior) return false;
    const season = { ...prior, expected: prior.seasonal };
    const z = zOf(shifted(prior.seasonal, logRatio(to, from, prior.grain), prior.grain), season);
    return Math.abs(z) >= this.#limitFor(z);
  }

  /**
   * Moves to the next window and learns from it. With `teaches: false` (an open incident, a holiday) or an unknown
   * value, season, level and spread stay the same. Of an incident, the limit learns only the window that `opens` it,
   * because it counts how often a series deviates, not for how long.
   */
  learn(observation: Observation, teaches = true, opens = false): void {
    const { slot, exposure, value } = observation;
    const prior = this.#expect(slot, exposure);
    this.#next = undefined;
    const isEvaluated = prior !== undefined && value !== null;
    // A limit that learned from a whole incident would end it, and miss the next one.
    const isLearned = isEvaluated && (teaches || opens);
    this.#limit.learn(isLearned ? zOf(value, this.#fittest(prior, value).expectation) : 0);
    this.#anniversary.learn(isEvaluated ? logRatio(value, prior.seasonal, prior.grain) : 0);
    if (value === null) this.#previous = 0;
    else if (prior) this.#learnFrom(observation, value, prior, teaches);
    else if (teaches) this.#profile.learn(slot, value / exposure);
  }

  #learnFrom({ slot, exposure }: Observation, value: number, prior: Expectation, teaches: boolean): void {
    const { low, high } = rangeWithin({ fall: this.#floor, rise: this.#floor }, prior);
    const cut = Math.min(Math.max(value, low), high);
    const previous = this.#previous;
    // The carry-over describes the current state, so it is updated during an incident too.
    this.#previous = logRatio(cut, prior.seasonal, prior.grain);
    if (!teaches) return;
    this.#carry.learn(previous, logRatio(cut, prior.expected, prior.grain));
    this.#spread.learn(slot, logRatio(value, prior.expected, prior.grain), chanceVariance(prior));
    this.#profile.learn(slot, cut / exposure);
  }

  /** The expectation of the next window, cached between evaluating and learning. */
  #expect(slot: number, exposure: number): Expectation | undefined {
    if (this.#next?.slot !== slot || this.#next.exposure !== exposure)
      this.#next = { slot, exposure, expectation: this.#computeExpectation(slot, exposure) };
    return this.#next.expectation;
  }

  #computeExpectation(slot: number, exposure: number): Expectation | undefined {
    const rate = this.#profile.expectedIn(slot);
    if (rate === undefined) return undefined;
    const seasonal = rate * exposure;
    const grain = this.#measure === 'count' ? 1 : MEAN_GRAIN * this.#profile.level || 1;
    const carried = this.#carry.carriedFrom(this.#previous);
    const expected = shifted(seasonal, carried, grain);
    return { seasonal, expected, grain, variance: this.#spread.varianceIn(slot) };
  }

  /** The expectation or, if the value deviates from it by the floor, the alternative that explains the value best. */
  #fittest(expected: Expectation, value: number): { expectation: Expectation; isAsAYearAgo: boolean } {
    const z = zOf(value, expected);
    if (Math.abs(z) < this.#floor) return { expectation: expected, isAsAYearAgo: false };
    // A return to the season's value does not fire, although the carry-over predicts a further deviation.
    const withoutCarry = { ...expected, expected: expected.seasonal };
    if (Math.abs(zOf(value, withoutCarry)) < this.#floor)
      return { expectation: withoutCarry, isAsAYearAgo: false };
    let [fittest, least] = [expected, this.#floor];
    for (const deviation of this.#anniversary.deviations()) {
      if (deviation * z <= 0) continue;
      const candidate = { ...expected, expected: shifted(expected.seasonal, deviation, expected.grain) };
      const gap = Math.abs(zOf(value, candidate));
      if (gap < least) [fittest, least] = [candidate, gap];
    }
    return { expectation: fittest, isAsAYearAgo: fittest !== expected };
  }

  #forecastOf(expectation: Expectation): Forecast {
    const limits = { fall: this.#limitFor(-1), rise: this.#limitFor(1) };
    return { expected: expectation.expected, ...rangeWithin(limits, expectation) };
  }

  #limitFor(z: number): number {
    return this.#limit.limitFor(z) * (this.#profile.isSettled ? 1 : UNSETTLED);
  }
}

function logRatio(value: number, expected: number, grain: number): number {
  return Math.log((value + grain) / (expected + grain));
}

function shifted(value: number, deviation: number, grain: number): number {
  return Math.max(LEAST_GRAINS * grain, (value + grain) * Math.exp(deviation) - grain);
}
