import { RunningQuantile } from './running-quantile.ts';
import { SlotHistory } from './slot-history.ts';

/** The spread is read off this quantile of the sizes of deviations; further in it would not see heavy tails. */
const QUANTILE = 0.8;

/** That quantile of a normal distribution's, in standard deviations. */
const QUANTILE_IN_SIGMA = 1.2816;

/** Past deviations of a slot that count as much as those of all slots together. */
const SHRINKAGE = 30;

const SEASONS = 8;

/** With fewer deviations than this the default stands in; and on either side what holds for both. */
const MINIMUM = 8;
const MINIMUM_A_SIDE = 20;

/** Until there is a past: two quiet windows of one series typically differ by some 15 %. */
const DEFAULT_SPREAD = 0.15;

/**
 * How far a series strays from what is expected of it beyond chance: by quantiles, so that an incident does not
 * deafen; for each slot, because nights are wilder than days; and apart for falls and rises, because bursts say
 * nothing about falls, nor rain about rises.
 */
export class SeasonalSpread {
  readonly #all: RunningQuantile;
  readonly #falls: RunningQuantile;
  readonly #rises: RunningQuantile;
  readonly #chance: RunningQuantile;
  readonly #slots: SlotHistory;

  /** `memory`: windows that the common spread is learned from. */
  constructor({ slots, memory }: { slots: number; memory: number }) {
    this.#all = new RunningQuantile(memory);
    this.#falls = new RunningQuantile(memory);
    this.#rises = new RunningQuantile(memory);
    this.#chance = new RunningQuantile(memory);
    this.#slots = new SlotHistory(slots, SEASONS);
  }

  /** The variance of the log of the rate in this slot, without what chance alone brings. */
  varianceIn(slot: number): { fall: number; rise: number } {
    if (this.#all.size < MINIMUM) return { fall: DEFAULT_SPREAD ** 2, rise: DEFAULT_SPREAD ** 2 };
    const common = this.#all.quantile(QUANTILE);
    const near = this.#slots.sizeNear(slot);
    const trust = near / (near + SHRINKAGE);
    const own = this.#slots.quantileNear(slot, QUANTILE) ?? common;
    const wildness = common > 0 ? (trust * own) / common + 1 - trust : 1;
    const chance = this.#chance.quantile(0.5);
    const variance = (side: RunningQuantile) => {
      const size = side.size < MINIMUM_A_SIDE ? common : side.quantile(QUANTILE);
      return Math.max(0, ((size * wildness) / QUANTILE_IN_SIGMA) ** 2 - chance);
    };
    return { fall: variance(this.#falls), rise: variance(this.#rises) };
  }

  /** Takes in a log deviation, and the variance that chance alone would give it. */
  learn(slot: number, deviation: number, chanceVariance: number): void {
    const size = Math.abs(deviation);
    this.#all.push(size);
    (deviation < 0 ? this.#falls : this.#rises).push(size);
    this.#chance.push(chanceVariance);
    this.#slots.push(slot, size);
  }
}
