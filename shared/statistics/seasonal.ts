import { Anniversary } from './anniversary.ts';
import { Autoregression } from './autoregression.ts';
import { chanceVariance, type Expectation, rangeWithin, zOf } from './expectation.ts';
import { SeasonalLimit } from './seasonal-limit.ts';
import { SeasonalProfile } from './seasonal-profile.ts';
import { SeasonalSpread } from './seasonal-spread.ts';

/** How a series repeats, in windows: a season is a week. */
export interface Seasonality {
  slots: number;
  /** A shorter season that stands in until two weeks are known; divides `slots`. */
  subSlots: number;
  /** Windows that the level is the mean of. */
  level: number;
  /** Windows that the spread is learned from, and the days among them that the limit is. */
  memory: number;
  /**
   * Standard deviations under which nothing is an alarm, and to which a gap is cut before it is learned from: more
   * where there are more windows to be wrong about.
   */
  floor: number;
}

export const HOURLY: Seasonality = { slots: 168, subSlots: 24, level: 168, memory: 8 * 168, floor: 5 };
export const DAILY: Seasonality = { slots: 7, subSlots: 7, level: 28, memory: 8 * 7, floor: 4 };

/**
 * A count is a sum of events, which vary by chance. The variance of a mean is only known from its past. Both are >= 0.
 */
export type Measure = 'count' | 'mean';

/** One closed window of a series. */
export interface Observation {
  /** Place in the season by the local clock, from 0; one may be repeated or skipped. */
  slot: number;
  /** 1 for a normal window, 23/24 for a short day. */
  exposure: number;
  /** `null`: not known. */
  value: number | null;
}

/** The expectation of a window, in the unit of its value. Values from `low` to `high` are within the limit. */
export interface Forecast {
  expected: number;
  low: number;
  high: number;
}

/** How a value compares with its expectation. */
export interface Surprise extends Forecast {
  /** In standard deviations; negative for a fall. */
  z: number;
  /** What the size of `z` must reach in this direction. */
  limit: number;
  isBeyond: boolean;
  /** Of `remembered` days, how many had as large a gap in this direction; 0: this is the largest. */
  larger: number;
  remembered: number;
  /** Whether it is within the limit of what the season alone says, whatever carried over from the window before. */
  isUsual: boolean;
  /** Whether the expectation is what happened about this date a year ago. */
  isAsAYearAgo: boolean;
}

/** What was expected, and what came. */
export interface Gap {
  from: number;
  to: number;
}

/** As long as only the shorter season is known, the limit is so many times as high. */
const UNSETTLED = 4 / 3;

/** The least that can be expected, in grains: zero would make anything infinitely surprising. */
const LEAST_GRAINS = 0.1;

/** A mean has no events that chance could deal out: this part of its level stands for one. */
const MEAN_GRAIN = 1e-4;

/**
 * The season, level and spread of a series, learned window by window in constant time and memory. The evaluation of a
 * window only depends on the windows before it.
 */
export class SeasonalModel {
  readonly #profile: SeasonalProfile;
  readonly #carry = new Autoregression();
  readonly #spread: SeasonalSpread;
  readonly #limit: SeasonalLimit;
  readonly #anniversary: Anniversary;
  readonly #measure: Measure;
  readonly #floor: number;
  /** The log deviation of the window before; 0 where it taught nothing. */
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

  /** What is expected of the next window; `undefined` while there is too little history. */
  forecast(slot: number, exposure = 1): Forecast | undefined {
    const expectation = this.#expect(slot, exposure);
    return expectation && this.#forecastOf(expectation);
  }

  /** Evaluates the next window without learning from it; `undefined` if its value or the past is unknown. */
  surpriseOf({ slot, exposure, value }: Observation): Surprise | undefined {
    const usual = this.#expect(slot, exposure);
    if (!usual || value === null) return undefined;
    const { expectation, isAsAYearAgo } = this.#fittest(usual, value);
    const z = zOf(value, expectation);
    const limit = this.#limitFor(z);
    const { larger, days: remembered } = this.#limit.rankOf(z);
    return {
      ...this.#forecastOf(expectation),
      ...{ z, limit, isBeyond: Math.abs(z) >= limit, larger, remembered },
      isUsual: Math.abs(zOf(value, { ...usual, expected: usual.usual })) < limit,
      isAsAYearAgo,
    };
  }

  /**
   * Whether a value that is as far from what is usual in the next window as `to` is from `from` would be beyond the
   * limit. At night it may not be: then a value within the limit does not say that all is well.
   */
  wouldTell({ slot, exposure }: Pick<Observation, 'slot' | 'exposure'>, { from, to }: Gap): boolean {
    const usual = this.#expect(slot, exposure);
    if (!usual) return false;
    const season = { ...usual, expected: usual.usual };
    const z = zOf(shifted(usual.usual, logRatio(to, from, usual.grain), usual.grain), season);
    return Math.abs(z) >= this.#limitFor(z);
  }

  /**
   * Takes the next window in. With `teaches: false` (an open incident, a holiday) and for an unknown value time moves
   * on, and what is usual stays as it is. Of an incident the limit learns the window that `opens` it: how often a
   * series has had such a gap, not for how long.
   */
  learn(observation: Observation, teaches = true, opens = false): void {
    const { slot, exposure, value } = observation;
    const usual = this.#expect(slot, exposure);
    this.#next = undefined;
    const isEvaluated = usual !== undefined && value !== null;
    // A limit that learned from a whole incident would end it, and miss the next one.
    const isLesson = isEvaluated && (teaches || opens);
    this.#limit.learn(isLesson ? zOf(value, this.#fittest(usual, value).expectation) : 0);
    this.#anniversary.learn(isEvaluated ? logRatio(value, usual.usual, usual.grain) : 0);
    if (value === null) this.#previous = 0;
    else if (usual) this.#learnFrom(observation, value, usual, teaches);
    else if (teaches) this.#profile.learn(slot, value / exposure);
  }

  #learnFrom({ slot, exposure }: Observation, value: number, usual: Expectation, teaches: boolean): void {
    const { low, high } = rangeWithin({ fall: this.#floor, rise: this.#floor }, usual);
    const cut = Math.min(Math.max(value, low), high);
    const previous = this.#previous;
    // What carries over is the state of things and no lesson: it goes on through an incident.
    this.#previous = logRatio(cut, usual.usual, usual.grain);
    if (!teaches) return;
    this.#carry.learn(previous, logRatio(cut, usual.expected, usual.grain));
    this.#spread.learn(slot, logRatio(value, usual.expected, usual.grain), chanceVariance(usual));
    this.#profile.learn(slot, cut / exposure);
  }

  /** The expectation of the next window, computed once for evaluating and learning. */
  #expect(slot: number, exposure: number): Expectation | undefined {
    if (this.#next?.slot !== slot || this.#next.exposure !== exposure)
      this.#next = { slot, exposure, expectation: this.#expectAnew(slot, exposure) };
    return this.#next.expectation;
  }

  #expectAnew(slot: number, exposure: number): Expectation | undefined {
    const rate = this.#profile.usualIn(slot);
    if (rate === undefined) return undefined;
    const usual = rate * exposure;
    const grain = this.#measure === 'count' ? 1 : MEAN_GRAIN * this.#profile.level || 1;
    const carried = this.#carry.carriedFrom(this.#previous);
    const expected = shifted(usual, carried, grain);
    return { usual, expected, grain, variance: this.#spread.varianceIn(slot) };
  }

  /** What is expected; or, of a value that is a surprise by that, what explains it, if anything does. */
  #fittest(expected: Expectation, value: number): { expectation: Expectation; isAsAYearAgo: boolean } {
    const z = zOf(value, expected);
    if (Math.abs(z) < this.#floor) return { expectation: expected, isAsAYearAgo: false };
    // The end of a deviation does not fire, although the next window was expected to be like the last one.
    const usual = { ...expected, expected: expected.usual };
    if (Math.abs(zOf(value, usual)) < this.#floor) return { expectation: usual, isAsAYearAgo: false };
    let [fittest, least] = [expected, this.#floor];
    for (const deviation of this.#anniversary.deviations()) {
      if (deviation * z <= 0) continue;
      const candidate = { ...expected, expected: shifted(expected.usual, deviation, expected.grain) };
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

function shifted(usual: number, deviation: number, grain: number): number {
  return Math.max(LEAST_GRAINS * grain, (usual + grain) * Math.exp(deviation) - grain);
}
