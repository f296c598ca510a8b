import type { Reading, WindowReading } from '../../shared/readings/reading.ts';
import type { Window } from '../../shared/time/window.ts';
import type { Cut } from './window-span.ts';

/** One row of a series. */
export interface Row {
  /** Epoch milliseconds. */
  at: number;
  /** `null` for a missing value. */
  value: number | null;
  line: number;
}

/** How a window's rows become its value, and what a window without rows is. */
export interface Bucketing {
  cut: Cut;
  measure: 'sum' | 'mean';
  gaps: 'zero' | 'missing';
}

/**
 * Collects rows, in order of time, into windows. A window ends when a row lies past its end; until then it may
 * be partial. The first window is partial too, unless its first row lies at its start.
 */
export class Buckets {
  readonly #bucketing: Bucketing;
  #window: Window | undefined;
  #rows = { count: 0, sum: 0, unknown: 0 };

  constructor(bucketing: Bucketing) {
    this.#bucketing = bucketing;
  }

  /** The windows that `row` completes, oldest first, including windows without rows. */
  *push({ at, value }: Row): Generator<WindowReading> {
    const { cut } = this.#bucketing;
    let window = this.#window ?? firstWindow(cut, at);
    while (at >= window.endAt) {
      yield { window, reading: this.#close() };
      window = cut.after(window);
    }
    this.#window = window;
    if (at < window.startAt) return;
    if (value === null) this.#rows.unknown++;
    else {
      this.#rows.count++;
      this.#rows.sum += value;
    }
  }

  /** The incomplete last window; `undefined` where it has no row. */
  rest(): WindowReading | undefined {
    const { count, unknown } = this.#rows;
    return this.#window && count + unknown > 0 ? { window: this.#window, reading: this.#close() } : undefined;
  }

  #close(): Reading {
    const { count, sum, unknown } = this.#rows;
    this.#rows = { count: 0, sum: 0, unknown: 0 };
    const { measure, gaps } = this.#bucketing;
    const isGap = count + unknown === 0;
    if (isGap && gaps === 'zero') return { value: 0, weight: measure === 'mean' ? 0 : null };
    if (measure === 'mean') return { value: count > 0 ? sum / count : null, weight: count };
    // A sum needs every value.
    return { value: isGap || unknown > 0 ? null : sum, weight: null };
  }
}

function firstWindow(cut: Cut, at: number): Window {
  const window = cut.containing(at);
  return window.startAt === at ? window : cut.after(window);
}
