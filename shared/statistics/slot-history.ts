/** The last few numbers of each slot of a season. */
export class SlotHistory {
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

  /** `undefined` while nothing is kept of the slot. */
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
