import type { Readings } from '../../shared/readings/history.ts';
import type { Reading, SeriesKey, WindowReading } from '../../shared/readings/reading.ts';
import type { Metric } from '../../shared/rules/metric.ts';
import type { Window } from '../../shared/time/window.ts';

/** Ring buffer of the last `size` windows of a series, added in order. */
export class KeptReadings implements Readings {
  readonly #size: number;
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  /** NaN is a missing value. */
  readonly #values: Float64Array;
  readonly #weights: Float64Array;
  #added = 0;

  constructor(size: number) {
    this.#size = size;
    this.#starts = new Float64Array(size);
    this.#ends = new Float64Array(size);
    this.#values = new Float64Array(size);
    this.#weights = new Float64Array(size);
  }

  add({ window, reading }: WindowReading): void {
    const place = this.#added % this.#size;
    this.#starts[place] = window.startAt;
    this.#ends[place] = window.endAt;
    this.#values[place] = reading.value ?? Number.NaN;
    this.#weights[place] = reading.weight ?? Number.NaN;
    this.#added++;
  }

  reading(
    { startAt, endAt }: Window,
    _: SeriesKey,
    __: Metric,
    period?: 'current' | 'previous',
  ): Reading | undefined {
    const wanted = period === 'previous' ? startAt : endAt;
    let [low, high] = [this.#oldest, this.#added];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#endOf(middle) < wanted) low = middle + 1;
      else high = middle;
    }
    return low < this.#added && this.#endOf(low) === wanted ? this.#readingAt(low) : undefined;
  }

  /** Oldest first. */
  *all(): Generator<WindowReading> {
    for (let i = this.#oldest; i < this.#added; i++) {
      const startAt = this.#starts[i % this.#size] ?? Number.NaN;
      yield { window: { startAt, endAt: this.#endOf(i) }, reading: this.#readingAt(i) };
    }
  }

  get #oldest(): number {
    return Math.max(0, this.#added - this.#size);
  }

  #endOf(i: number): number {
    return this.#ends[i % this.#size] ?? Number.NaN;
  }

  #readingAt(i: number): Reading {
    return { value: known(this.#values[i % this.#size]), weight: known(this.#weights[i % this.#size]) };
  }
}

function known(figure = Number.NaN): number | null {
  return Number.isNaN(figure) ? null : figure;
}
