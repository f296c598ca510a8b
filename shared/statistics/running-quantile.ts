/**
 * The last so many numbers in the order of their size. Its memory is fixed; a step costs one binary search and one
 * move of a block of memory.
 */
export class RunningQuantile {
  readonly #arrived: Float64Array;
  readonly #sorted: Float64Array;
  #steps = 0;

  /** Remembers the last `capacity` numbers. */
  constructor(capacity: number) {
    this.#arrived = new Float64Array(capacity);
    this.#sorted = new Float64Array(capacity);
  }

  get size(): number {
    return Math.min(this.#steps, this.#sorted.length);
  }

  push(value: number): void {
    const place = this.#steps % this.#arrived.length;
    const size = this.size;
    // The gap that the value goes into is moved from where the oldest was, or from the end as long as there is room.
    const gap = size < this.#sorted.length ? size : this.#placeOf(this.#arrived[place] ?? 0, size);
    let at = this.#placeOf(value, size);
    if (at > gap) {
      at--;
      this.#sorted.copyWithin(gap, gap + 1, at + 1);
    } else this.#sorted.copyWithin(at + 1, at, gap);
    this.#sorted[at] = value;
    this.#arrived[place] = value;
    this.#steps++;
  }

  /** The number that the share `q` (below 1) of them lies under; NaN while there are none. */
  quantile(q: number): number {
    return this.size === 0 ? Number.NaN : (this.#sorted[Math.floor(q * this.size)] ?? Number.NaN);
  }

  /** The `nth` largest (1: the largest); 0 while there are fewer. */
  largest(nth: number): number {
    return this.#sorted[this.size - nth] ?? 0;
  }

  /** How many are at least `value`. */
  countFrom(value: number): number {
    return this.size - this.#placeOf(value, this.size);
  }

  /** The first place that holds no less than `value`. */
  #placeOf(value: number, size: number): number {
    let [low, high] = [0, size];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
