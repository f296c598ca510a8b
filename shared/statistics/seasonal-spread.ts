import { RunningQuantile } from './running-quantile.ts';
import { SlotMedians } from './seasonal-profile.ts';

/** Scales a median absolute deviation to the standard deviation of a normal distribution. */
const MAD_TO_SIGMA = 1.4826;

/** Past deviations of a slot that count as much as those of all slots together. */
const SHRINKAGE = 30;

const SEASONS = 6;

/** With fewer deviations than this the default stands in. */
const MINIMUM = 8;

/** Until there is a past: two quiet windows of one series typically differ by some 15 %. */
const DEFAULT_SPREAD = 0.15;

/**
 * How far a series strays from what is expected of it beyond chance: by medians, so that an incident does not deafen,
 * and for each slot, because nights are wilder than days.
 */
export class SeasonalSpread {
  readonly #all: RunningQuantile;
  readonly #chance: RunningQuantile;
  readonly #slots: SlotMedians;
  readonly #near = new Float64Array(3 * SEASONS);

  /** `memory`: windows that the common spread is learned from. */
  constructor({ slots, memory }: { slots: number; memory: number }) {
    this.#all = new RunningQuantile(memory);
    this.#chance = new RunningQuantile(memory);
    this.#slots = new SlotMedians(slots, SEASONS);
  }

  /** The variance of the log of the rate in this slot, without what chance alone brings. */
  varianceIn(slot: number): number {
    if (this.#all.size < MINIMUM) return DEFAULT_SPREAD ** 2;
    const common = MAD_TO_SIGMA * this.#all.median();
    const near = this.#nearby(slot);
    const own = near.length === 0 ? common : MAD_TO_SIGMA * middleOf(near);
    const trust = near.length / (near.length + SHRINKAGE);
    const spread = trust * own + (1 - trust) * common;
    return Math.max(0, spread ** 2 - this.#chance.median());
  }

  /** Takes in a log deviation, and the variance that chance alone would give it. */
  learn(slot: number, deviation: number, chanceVariance: number): void {
    this.#all.push(Math.abs(deviation));
    this.#chance.push(chanceVariance);
    this.#slots.push(slot, Math.abs(deviation));
  }

  /** The deviations of the slot and its two neighbours, sorted. */
  #nearby(slot: number): Float64Array {
    let size = 0;
    for (let offset = -1; offset <= 1; offset++) {
      const kept = this.#slots.of((slot + offset + this.#slots.size) % this.#slots.size);
      this.#near.set(kept, size);
      size += kept.length;
    }
    return this.#near.subarray(0, size).sort();
  }
}

function middleOf(sorted: Float64Array): number {
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
