/**
 * One quantile of the last numbers. A step costs a few swaps: one heap holds the numbers below the quantile, the other
 * the rest, and a new number takes the place of the oldest.
 */
export class SlidingQuantile {
  readonly #q: number;
  /** In order of arrival. */
  readonly #values: Float64Array;
  readonly #below: Heap;
  readonly #rest: Heap;
  #steps = 0;

  /** `capacity`: how many of the last numbers are kept; `q`: from 0, below 1. */
  constructor(capacity: number, q: number) {
    this.#q = q;
    this.#values = new Float64Array(capacity);
    this.#below = new Heap(this.#values, -1);
    this.#rest = new Heap(this.#values, 1);
  }

  get size(): number {
    return Math.min(this.#steps, this.#values.length);
  }

  /** NaN if there are no numbers. */
  get value(): number {
    return this.size === 0 ? Number.NaN : (this.#values[this.#rest.top] ?? Number.NaN);
  }

  push(value: number): void {
    const place = this.#steps % this.#values.length;
    const isFull = this.#steps >= this.#values.length;
    this.#values[place] = value;
    this.#steps++;
    if (!isFull) this.#rest.add(place);
    else if (this.#below.has(place)) this.#below.settle(place);
    else this.#rest.settle(place);
    const below = Math.floor(this.#q * this.size);
    while (this.#below.size < below) this.#below.add(this.#rest.takeTop());
    if (below === 0) return;
    const [low, high] = [this.#below.top, this.#rest.top];
    if ((this.#values[low] ?? 0) <= (this.#values[high] ?? 0)) return;
    this.#below.replaceTop(high);
    this.#rest.replaceTop(low);
  }
}

/** Places of an array of numbers; `top` is that of the smallest number, or with `sign` -1 of the largest. */
class Heap {
  readonly #values: Float64Array;
  readonly #sign: 1 | -1;
  readonly #places: Int32Array;
  /** Where each place is in the heap; -1 if it is not. */
  readonly #indexes: Int32Array;
  #size = 0;

  constructor(values: Float64Array, sign: 1 | -1) {
    this.#values = values;
    this.#sign = sign;
    this.#places = new Int32Array(values.length);
    this.#indexes = new Int32Array(values.length).fill(-1);
  }

  get size(): number {
    return this.#size;
  }

  get top(): number {
    return this.#places[0] ?? 0;
  }

  has(place: number): boolean {
    return (this.#indexes[place] ?? -1) >= 0;
  }

  add(place: number): void {
    this.#size++;
    this.#put(place, this.#size - 1);
  }

  /** Restores the order after the number at `place` changed. */
  settle(place: number): void {
    this.#put(place, this.#indexes[place] ?? 0);
  }

  takeTop(): number {
    const { top } = this;
    this.#indexes[top] = -1;
    this.#size--;
    if (this.#size > 0) this.#put(this.#places[this.#size] ?? 0, 0);
    return top;
  }

  replaceTop(place: number): void {
    this.#indexes[this.top] = -1;
    this.#put(place, 0);
  }

  /** Puts `place` at the index, or above or below it where it belongs. */
  #put(place: number, index: number): void {
    const [values, places, indexes, sign, size] = [
      this.#values,
      this.#places,
      this.#indexes,
      this.#sign,
      this.#size,
    ];
    const value = sign * (values[place] ?? 0);
    let at = index;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const other = places[up] ?? 0;
      if (sign * (values[other] ?? 0) <= value) break;
      places[at] = other;
      indexes[other] = at;
      at = up;
    }
    for (let child = 2 * at + 1; child < size; child = 2 * at + 1) {
      const right = child + 1;
      if (right < size && sign * ((values[places[right] ?? 0] ?? 0) - (values[places[child] ?? 0] ?? 0)) < 0)
        child = right;
      const other = places[child] ?? 0;
      if (sign * (values[other] ?? 0) >= value) break;
      places[at] = other;
      indexes[other] = at;
      at = child;
    }
    places[at] = place;
    indexes[place] = at;
  }
}
