/** The last numbers of each slot of a season, kept sorted. */
export class SlotHistory {
  readonly size: number;
  readonly #depth: number;
  /** In order of arrival. */
  readonly #arrived: Float64Array;
  readonly #sorted: Float64Array;
  readonly #pushed: Uint32Array;

  constructor(size: number, depth: number) {
    this.size = size;
    this.#depth = depth;
    this.#arrived = new Float64Array(size * depth);
    this.#sorted = new Float64Array(size * depth);
    this.#pushed = new Uint32Array(size);
  }

  push(slot: number, value: number): void {
    const sorted = this.#sorted;
    const start = slot * this.#depth;
    const pushed = this.#pushed[slot] ?? 0;
    const place = start + (pushed % this.#depth);
    let end = start + Math.min(pushed, this.#depth);
    if (pushed >= this.#depth) {
      const oldest = this.#arrived[place] ?? 0;
      let at = start;
      while (at < end - 1 && sorted[at] !== oldest) at++;
      for (end--; at < end; at++) sorted[at] = sorted[at + 1] ?? 0;
    }
    let at = end;
    for (; at > start && (sorted[at - 1] ?? 0) > value; at--) sorted[at] = sorted[at - 1] ?? 0;
    sorted[at] = value;
    this.#arrived[place] = value;
    this.#pushed[slot] = pushed + 1;
  }

  sizeIn(slot: number): number {
    return Math.min(this.#pushed[slot] ?? 0, this.#depth);
  }

  /** `undefined` if the slot has no numbers. */
  median(slot: number): number | undefined {
    const size = this.sizeIn(slot);
    if (size === 0) return undefined;
    const middle = slot * this.#depth + (size >> 1);
    const upper = this.#sorted[middle] ?? 0;
    return size % 2 ? upper : (upper + (this.#sorted[middle - 1] ?? 0)) / 2;
  }

  /** How many numbers the slot and its two neighbours have. The first and the last slot are neighbours. */
  sizeNear(slot: number): number {
    return this.sizeIn(this.#before(slot)) + this.sizeIn(slot) + this.sizeIn(this.#after(slot));
  }

  /** The quantile `q` (from 0, below 1) of these numbers; `undefined` if there are none. */
  quantileNear(slot: number, q: number): number | undefined {
    const [before, after] = [this.#before(slot), this.#after(slot)];
    let a = this.sizeIn(before);
    let b = this.sizeIn(slot);
    let c = this.sizeIn(after);
    const size = a + b + c;
    if (size === 0) return undefined;
    const topOf = (each: number, left: number) =>
      left > 0 ? (this.#sorted[each * this.#depth + left - 1] ?? 0) : -Infinity;
    // Removes the largest number of the three sorted slots repeatedly: far fewer steps than sorting them together.
    for (let above = size - 1 - Math.floor(q * size); ; above--) {
      const [x, y, z] = [topOf(before, a), topOf(slot, b), topOf(after, c)];
      const top = Math.max(x, y, z);
      if (above === 0) return top;
      if (x === top && a > 0) a--;
      else if (y === top && b > 0) b--;
      else c--;
    }
  }

  #before(slot: number): number {
    return slot === 0 ? this.size - 1 : slot - 1;
  }

  #after(slot: number): number {
    return slot === this.size - 1 ? 0 : slot + 1;
  }
}
