/** Seasons that a slot's share is the median of: more are steadier, fewer follow a change sooner. */
const SEASONS = 6;

/** Of the shorter season, which stands in until the long one is known. */
const SUB_SEASONS = 14;

/**
 * The level of a series and the shape of its season: what is usual in a slot is the level times the median of what
 * this slot was, against the level of its time, in the last seasons.
 */
export class SeasonalProfile {
  readonly #slots: SlotMedians;
  readonly #subSlots: SlotMedians;
  readonly #recent: Float64Array;
  #sum = 0;
  #learned = 0;

  constructor({ slots, subSlots, level }: { slots: number; subSlots: number; level: number }) {
    this.#slots = new SlotMedians(slots, SEASONS);
    this.#subSlots = new SlotMedians(subSlots, SUB_SEASONS);
    this.#recent = new Float64Array(level);
  }

  /** The mean of the last values. */
  get level(): number {
    return this.#sum / Math.min(this.#learned, this.#recent.length);
  }

  /** What is usual in the slot; `undefined` until every slot of the shorter season was seen about twice. */
  usualIn(slot: number): number | undefined {
    if (this.#learned < 2 * this.#subSlots.size) return undefined;
    const share =
      this.#learned < 2 * this.#slots.size
        ? this.#subSlots.median(slot % this.#subSlots.size)
        : (this.#slots.median(slot) ?? this.#subSlots.median(slot % this.#subSlots.size));
    return this.level * (share ?? 1);
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

/** The last few numbers of each slot. */
export class SlotMedians {
  readonly size: number;
  readonly #depth: number;
  readonly #kept: Float64Array;
  readonly #pushed: Uint32Array;

  constructor(size: number, depth: number) {
    this.size = size;
    this.#depth = depth;
    this.#kept = new Float64Array(size * depth);
    this.#pushed = new Uint32Array(size);
  }

  push(slot: number, value: number): void {
    const pushed = this.#pushed[slot] ?? 0;
    this.#kept[slot * this.#depth + (pushed % this.#depth)] = value;
    this.#pushed[slot] = pushed + 1;
  }

  /** What is kept of the slot, in no order; a view that the next push may change. */
  of(slot: number): Float64Array {
    const start = slot * this.#depth;
    return this.#kept.subarray(start, start + Math.min(this.#pushed[slot] ?? 0, this.#depth));
  }

  median(slot: number): number | undefined {
    return medianOf(this.of(slot));
  }
}

/** `undefined` of nothing. */
export function medianOf(values: Float64Array): number | undefined {
  const sorted = values.toSorted();
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  return upper === undefined || sorted.length % 2 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
