import type { Reading, WindowReading } from '../../shared/readings/reading.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import { lastClosedWindow, type Window } from '../../shared/time/window.ts';

/** One row of a series. */
export interface Row {
  /** Epoch milliseconds. */
  at: number;
  /** `null` for a missing value. */
  value: number | null;
}

/** What a window without rows is. An average of no rows is always missing. */
export type Gaps = 'zero' | 'missing';

/**
 * Collects rows, in order of time, into the windows of a rule. Its metric decides whether rows are added or averaged. A
 * window ends when a row lies past its end; until then it may be partial. The first window is partial too, unless its
 * first row lies at its start.
 */
export class Buckets {
  readonly #calendarWindows: CalendarWindows;
  readonly #isSum: boolean;
  readonly #gaps: Gaps;
  #window: Window | undefined;
  #rows = { count: 0, sum: 0, unknown: 0 };

  constructor(rule: FigureRule, gaps: Gaps) {
    this.#calendarWindows = new CalendarWindows({ grain: rule.window, zone: rule.zone });
    this.#isSum = ['count', 'total'].includes(metricOf(rule).kind);
    this.#gaps = gaps;
  }

  /** The windows that `row` completes, oldest first, including windows without rows. */
  *push({ at, value }: Row): Generator<WindowReading> {
    let window = this.#window ?? this.#firstWindow(at);
    while (at >= window.endAt) {
      yield { ...this.#close(), window };
      window = this.#calendarWindows.after(window);
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
    return this.#window && count + unknown > 0 ? { ...this.#close(), window: this.#window } : undefined;
  }

  #close(): Reading {
    const { count, sum, unknown } = this.#rows;
    this.#rows = { count: 0, sum: 0, unknown: 0 };
    if (!this.#isSum) return { value: count > 0 ? sum / count : null, weight: count };
    const isMissing = count + unknown === 0 && this.#gaps === 'missing';
    // A sum needs every value.
    return { value: isMissing || unknown > 0 ? null : sum, weight: null };
  }

  /** The first window that starts at `at` or later. */
  #firstWindow(at: number): Window {
    const window = this.#calendarWindows.after(lastClosedWindow(at, this.#calendarWindows.calendar));
    return window.startAt === at ? window : this.#calendarWindows.after(window);
  }
}
