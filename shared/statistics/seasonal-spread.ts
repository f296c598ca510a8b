import type { BySide, Expectation } from './expectation.ts';
import { RunningQuantile } from './running-quantile.ts';
import { SlotHistory } from './slot-history.ts';

/** The spread is estimated from this quantile of absolute deviations. A lower one would miss heavy tails. */
export const QUANTILE = 0.8;

/** The same quantile of absolute deviations of the standard normal distribution. */
export const QUANTILE_IN_SIGMA = 1.2816;

/** Number of past deviations of a slot that get the same weight as the estimate from all slots. */
const SHRINKAGE = 60;

const SEASONS = 8;

/** Minimum deviations, or else the default is used; and per side, or else the spread of both sides is used. */
const MINIMUM = 8;
const MINIMUM_A_SIDE = 20;

/** The spread without a past: normal windows of one series typically differ by about 15%. */
const DEFAULT_SPREAD = 0.15;

/** Minimum spread: the calmest series have outliers that are small, but many times their usual deviation. */
const LEAST_SPREAD = 0.04;

/** Log deviations of a window from its two expected values. */
export interface Deviations {
  /** From the expected value with the carry-over from the previous window. */
  carried: number;
  /** From the expected value of the season alone. */
  seasonal: number;
}

/**
 * The spread of a series around its expected values beyond chance. It is estimated from quantiles, so that an incident
 * does not make the model insensitive. Each slot has its own spread, because nights vary more than days. Falls and
 * rises have separate spreads, because their sizes are unrelated: bursts say nothing about falls.
 */
export class SeasonalSpread {
  readonly #carried: Sides;
  readonly #seasonal: Sides;
  readonly #chance: RunningQuantile;
  readonly #slots: SlotHistory;

  /** `memory`: the number of windows that the common spread is estimated from. */
  constructor({ slots, memory }: { slots: number; memory: number }) {
    this.#carried = new Sides(memory);
    this.#seasonal = new Sides(memory);
    this.#chance = new RunningQuantile(memory, 0.5);
    this.#slots = new SlotHistory(slots, SEASONS);
  }

  /** Variance of the log rate in this slot, beyond chance, around both expected values. */
  variancesIn(slot: number): { carried: BySide; seasonal: BySide } {
    if (this.#carried.size < MINIMUM) {
      const variance = { fall: DEFAULT_SPREAD ** 2, rise: DEFAULT_SPREAD ** 2 };
      return { carried: variance, seasonal: variance };
    }
    const relative = this.#relativeIn(slot);
    const chance = this.#chance.value;
    return {
      carried: this.#carried.variance(relative, chance),
      seasonal: this.#seasonal.variance(relative, chance),
    };
  }

  /** Adds the deviations of a window, and their variance by chance alone. */
  learn(slot: number, { carried, seasonal }: Deviations, chanceVariance: number): void {
    this.#carried.learn(carried);
    this.#seasonal.learn(seasonal);
    this.#chance.push(chanceVariance);
    this.#slots.push(slot, Math.abs(carried));
  }

  /** The spread of the slot as a multiple of that of all slots. */
  #relativeIn(slot: number): number {
    const common = this.#carried.common;
    if (common === 0) return 1;
    const near = this.#slots.sizeNear(slot);
    const weight = near / (near + SHRINKAGE);
    const own = this.#slots.quantileNear(slot, QUANTILE) ?? common;
    return (weight * own) / common + 1 - weight;
  }
}

/** The spread of falls and of rises around one expected value. */
class Sides {
  readonly #all: RunningQuantile;
  readonly #falls: RunningQuantile;
  readonly #rises: RunningQuantile;

  constructor(memory: number) {
    this.#all = new RunningQuantile(memory, QUANTILE);
    this.#falls = new RunningQuantile(memory, QUANTILE);
    this.#rises = new RunningQuantile(memory, QUANTILE);
  }

  get size(): number {
    return this.#all.size;
  }

  get common(): number {
    return this.#all.value;
  }

  learn(deviation: number): void {
    const size = Math.abs(deviation);
    this.#all.push(size);
    (deviation < 0 ? this.#falls : this.#rises).push(size);
  }

  variance(relative: number, chance: number): BySide {
    const of = (side: RunningQuantile) => {
      const size = side.size < MINIMUM_A_SIDE ? this.#all.value : side.value;
      return Math.max(LEAST_SPREAD ** 2, ((size * relative) / QUANTILE_IN_SIGMA) ** 2 - chance);
    };
    return { fall: of(this.#falls), rise: of(this.#rises) };
  }
}

/** The scale is from this quantile of absolute deviations. If one hour in ten is of an incident, 0.9 is as large as these. */
const RISE_QUANTILE = 0.7;
const RISE_QUANTILE_IN_SIGMA = 1.0364;

/** Minimum deviations before the scale is known. */
const MINIMUM_OF_SCALE = 24;

/**
 * The size of a rise in the unit of the series, relative to its deviations of the last weeks. A series with quiet nights
 * and wide relative spread has rises that are large by this measure alone.
 */
export class RiseSize {
  readonly #deviations: RunningQuantile;

  constructor({ memory }: { memory: number }) {
    this.#deviations = new RunningQuantile(memory, RISE_QUANTILE);
  }

  learn(value: number, expected: number): void {
    this.#deviations.push(Math.abs(value - expected));
  }

  /** One unit of the scale, at least the spread by chance; `undefined` if too little is known. */
  unitAt({ expected, variance, grain }: Expectation): number | undefined {
    if (this.#deviations.size < MINIMUM_OF_SCALE) return undefined;
    const chance = Math.sqrt((expected + grain) * grain);
    // At least the spread in the slot too, so that a daily peak is not measured by quiet hours.
    const spread = Math.sqrt(variance.rise) * expected;
    return Math.max(this.#deviations.value / RISE_QUANTILE_IN_SIGMA, chance, spread);
  }
}
