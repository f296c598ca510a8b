import { HOUR_MS } from '../../shared/units/durations.ts';

/** Events of an app per recorded hour: shows how fresh its data was at any time. */
export class EventHours {
  /** Oldest first. */
  readonly #hours: { startAt: number; events: number }[] = [];

  /** Hours come in order; hours without events may be omitted. */
  add(startAt: number, events: number): void {
    if (events > 0) this.#hours.push({ startAt, events });
  }

  /** Start of the first hour with events; `undefined` without any. */
  firstAt(): number | undefined {
    return this.#hours[0]?.startAt;
  }

  /**
   * Time of the newest event recorded by `at`, if each hour's events are spread evenly; `null` before the
   * first.
   */
  newestBy(at: number): number | null {
    let [low, high] = [0, this.#hours.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#hours[middle]?.startAt ?? Infinity) <= at) low = middle + 1;
      else high = middle;
    }
    for (let i = low - 1; i >= 0; i--) {
      const hour = this.#hours[i];
      if (!hour) break;
      const eachMs = HOUR_MS / hour.events;
      const count = Math.min(hour.events, Math.floor((at - hour.startAt) / eachMs + 0.5));
      if (count > 0) return Math.floor(hour.startAt + (count - 0.5) * eachMs);
    }
    return null;
  }
}
