import { SlotHistory } from './slot-history.ts';

/** Seasons that a slot's share is the median of: more are steadier, fewer follow a change sooner. */
const SEASONS = 8;

/** Of the shorter season, which stands in until the long one is known. */
const SUB_SEASONS = 14;

/**
 * The level of a series and the shape of its season: what is usual in a slot is the level times the median of what
 * this slot was, against the level of its time, in the last seasons.
 */
export class SeasonalProfile {
  readonly #slots: SlotHistory;
  readonly #subSlots: SlotHistory;
  readonly #recent: Float64Array;
  #sum = 0;
  #learned = 0;

  constructor({ slots, subSlots, level }: { slots: number; subSlots: number; level: number }) {
    this.#slots = new SlotHistory(slots, SEASONS);
    this.#subSlots = new SlotHistory(subSlots, SUB_SEASONS);
    this.#recent = new Float64Array(level);
  }

  /** The mean of the last values. */
  get level(): number {
    return this.#sum / Math.min(this.#learned, this.#recent.length);
  }

  /** Whether the whole season is known. */
  get isSettled(): boolean {
    return this.#learned >= 2 * this.#slots.size;
  }

  /** What is usual in the slot; `undefined` until every slot of the shorter season was seen about twice. */
  usualIn(slot: number): number | undefined {
    if (this.#learned < 2 * this.#subSlots.size) return undefined;
    const share = this.isSettled ? this.#slots.median(slot) : undefined;
    return this.level * (share ?? this.#subSlots.median(slot % this.#subSlots.size) ?? 1);
  }

  learn(slot: number, value: number): void {
    const place = this.#learned % this.#recent.length;
    this.#sum += value - (this.#recent[place] ?? 0);
    this.#recent[place] = value;
    this.#learned++;
    const share = this.level > 0 ? value / this.level : 1;
    this.#slots.push(slot, share);
    this.#subSlots.push(slot % this.#subSlots.size, share);
  }
}
