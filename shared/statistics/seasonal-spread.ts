import { RunningQuantile } from './running-quantile.ts';
import { SlotHistory } from './slot-history.ts';

/** The spread is estimated from this quantile of absolute deviations. A lower one would miss heavy tails. */
const QUANTILE = 0.8;

/** The same quantile of absolute deviations of the standard normal distribution. */
const QUANTILE_IN_SIGMA = 1.2816;

/** Number of past deviations of a slot that get the same weight as the estimate from all slots. */
const SHRINKAGE = 30;

const SEASONS = 8;

/** Minimum deviations, or else the default is used; and per side, or else the spread of both sides is used. */
const MINIMUM = 8;
const MINIMUM_A_SIDE = 20;

/** The spread without a past: normal windows of one series typically differ by about 15 %. */
const DEFAULT_SPREAD = 0.15;

/**
 * The spread of a series around its expected value beyond chance. It is estimated from quantiles, so that an incident
 * does not make the model insensitive. Each slot has its own spread, because nights vary more than days. Falls and
 * rises have separate spreads, because their sizes are unrelated: bursts say nothing about falls.
 */
export class SeasonalSpread {
  readonly #all: RunningQuantile;
  readonly #falls: RunningQuantile;
  readonly #rises: RunningQuantile;
  readonly #chance: RunningQuantile;
  readonly #slots: SlotHistory;

  /** `memory`: the number of windows that the common spread is estimated from. */
  constructor({ slots, memory }: { slots: number; memory: number }) {
    this.#all = new RunningQuantile(memory);
    this.#falls = new RunningQuantile(memory);
    this.#rises = new RunningQuantile(memory);
    this.#chance = new RunningQuantile(memory);
    this.#slots = new SlotHistory(slots, SEASONS);
  }

  /** Variance of the log rate in this slot, beyond chance. */
  varianceIn(slot: number): { fall: number; rise: number } {
    if (this.#all.size < MINIMUM) return { fall: DEFAULT_SPREAD ** 2, rise: DEFAULT_SPREAD ** 2 };
    const common = this.#all.quantile(QUANTILE);
    const near = this.#slots.sizeNear(slot);
    const weight = near / (near + SHRINKAGE);
    const own = this.#slots.quantileNear(slot, QUANTILE) ?? common;
    const relativeSpread = common > 0 ? (weight * own) / common + 1 - weight : 1;
    const chance = this.#chance.quantile(0.5);
    const variance = (side: RunningQuantile) => {
      const size = side.size < MINIMUM_A_SIDE ? common : side.quantile(QUANTILE);
      return Math.max(0, ((size * relativeSpread) / QUANTILE_IN_SIGMA) ** 2 - chance);
    };
    return { fall: variance(this.#falls), rise: variance(this.#rises) };
  }

  /** Adds a log deviation, and its variance by chance alone. */
  learn(slot: number, deviation: number, chanceVariance: number): void {
    const size = Math.abs(deviation);
    this.#all.push(size);
    (deviation < 0 ? this.#falls : this.#rises).push(size);
    this.#chance.push(chanceVariance);
    this.#slots.push(slot, size);
  }
}
