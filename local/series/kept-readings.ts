import type { WindowReading } from '../../shared/alerting/gates.ts';
import type { Readings } from '../../shared/alerting/history.ts';
import type { Metric } from '../../shared/alerting/metrics.ts';
import type { Reading, SeriesKey } from '../../shared/alerting/reading.ts';
import type { Window } from '../../shared/alerting/window.ts';

/** The last `size` windows of one series, told in order: however long it is, no more is remembered. */
export class KeptReadings implements Readings {
  readonly #size: number;
  readonly #byEnd = new Map<number, WindowReading>();

  constructor(size: number) {
    this.#size = size;
  }

  add(each: WindowReading): void {
    this.#byEnd.set(each.window.endAt, each);
    if (this.#byEnd.size <= this.#size) return;
    for (const oldest of this.#byEnd.keys()) {
      this.#byEnd.delete(oldest);
      return;
    }
  }

  reading(window: Window, _: SeriesKey, __: Metric, period?: 'current' | 'previous'): Reading | undefined {
    return this.#byEnd.get(period === 'previous' ? window.startAt : window.endAt)?.reading;
  }

  /** Oldest first. */
  all(): Iterable<WindowReading> {
    return this.#byEnd.values();
  }
}
