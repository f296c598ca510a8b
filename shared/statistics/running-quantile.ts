/** Binary digits of a number that its bucket ignores. The 5 digits left after the first make buckets of 2% to 3%. */
const IGNORED = 18;

const single = new Float32Array(1);
const bits = new Uint32Array(single.buffer);

/**
 * A quantile of the last numbers, all at least 0, within 2%. It counts them by exponent and leading digits, so that a
 * step takes constant time.
 */
export class RunningQuantile {
  readonly #arrived: Uint16Array;
  readonly #counts = new Uint16Array(2 ** (31 - IGNORED));
  readonly #q: number;
  #steps = 0;
  /** The bucket of the quantile, and how many numbers are in buckets before it. */
  #at = 0;
  #before = 0;

  /** `capacity`: how many of the last numbers are kept; `q`: the quantile, from 0, below 1. */
  constructor(capacity: number, q: number) {
    this.#q = q;
    this.#arrived = new Uint16Array(capacity);
  }

  get size(): number {
    return Math.min(this.#steps, this.#arrived.length);
  }

  push(value: number): void {
    const place = this.#steps % this.#arrived.length;
    if (this.#steps >= this.#arrived.length) this.#count(this.#arrived[place] ?? 0, -1);
    single[0] = value;
    const bucket = (bits[0] ?? 0) >>> IGNORED;
    this.#count(bucket, 1);
    this.#arrived[place] = bucket;
    this.#steps++;
    const rank = Math.floor(this.#q * this.size);
    while (this.#before > rank) this.#before -= this.#counts[--this.#at] ?? 0;
    for (; this.#before + this.#here <= rank; this.#at++) this.#before += this.#here;
  }

  /** The middle of the quantile's bucket; NaN without numbers. */
  get value(): number {
    if (this.size === 0) return Number.NaN;
    bits[0] = this.#at === 0 ? 0 : (this.#at + 0.5) * 2 ** IGNORED;
    return single[0] ?? 0;
  }

  get #here(): number {
    return this.#counts[this.#at] ?? 0;
  }

  #count(bucket: number, change: 1 | -1): void {
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + change;
    if (bucket < this.#at) this.#before += change;
  }
}
