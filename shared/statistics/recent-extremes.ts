/** The last numbers, by size. */
export class RecentExtremes {
  readonly #capacity: number;
  readonly #arrived: number[] = [];
  readonly #sorted: number[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#arrived.length;
  }

  push(value: number): void {
    this.#arrived.push(value);
    if (this.size > this.#capacity) this.#sorted.splice(this.#sorted.indexOf(this.#arrived.shift() ?? 0), 1);
    this.#sorted.splice(this.#sorted.length - this.countFrom(value), 0, value);
  }

  /** The `nth` largest number (1: the largest); 0 if there are fewer. */
  largest(nth: number): number {
    return this.#sorted.at(-nth) ?? 0;
  }

  /** How many numbers are at least `value`. */
  countFrom(value: number): number {
    return countFrom(value, this.#sorted);
  }
}

/** How many of the numbers, sorted from the smallest, are at least `value`. */
export function countFrom(value: number, sorted: ArrayLike<number>): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return sorted.length - low;
}
