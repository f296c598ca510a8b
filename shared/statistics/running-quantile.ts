/**
 * A sliding window of the last numbers, kept sorted. Memory is fixed. A step costs at most two binary searches and
 * one move of a block of memory.
 */
export class RunningQuantile {
  readonly #arrived: Float64Array;
  readonly #sorted: Float64Array;
  #steps = 0;

  readonly #q: number;

  /** `capacity`: how many of the last numbers are kept; `q`: the quantile, from 0, below 1. */
  constructor(capacity: number, q = 0.5) {
    this.#q = q;
    this.#arrived = new Float64Array(capacity);
    this.#sorted = new Float64Array(capacity);
  }

  get size(): number {
    return Math.min(this.#steps, this.#sorted.length);
  }

  push(value: number): void {
    const place = this.#steps % this.#arrived.length;
    const size = this.size;
    // The free place is that of the oldest number or, until the window is full, the end.
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

  /** The quantile of the numbers; NaN if there are none. */
  get value(): number {
    return this.size === 0 ? Number.NaN : (this.#sorted[Math.floor(this.#q * this.size)] ?? Number.NaN);
  }

  /** The `nth` largest number (1: the largest); 0 if there are fewer. */
  largest(nth: number): number {
    return this.#sorted[this.size - nth] ?? 0;
  }

  /** How many numbers are at least `value`. */
  countFrom(value: number): number {
    return this.size - this.#placeOf(value, this.size);
  }

  /** The index of the first number that is at least `value`. */
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
