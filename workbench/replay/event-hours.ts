const HOUR = 3_600_000;

/** How many events an app recorded in each hour: what is known of how fresh its data were at any time. */
export class EventHours {
  /** Oldest first. */
  readonly #hours: { startAt: number; events: number }[] = [];

  /** Hours come in order; those without events may be left out. */
  add(startAt: number, events: number): void {
    if (events > 0) this.#hours.push({ startAt, events });
  }

  /** Start of the first hour with events; `undefined` without any. */
  firstAt(): number | undefined {
    return this.#hours[0]?.startAt;
  }

  /**
   * When the newest event that was recorded by `at` was recorded, as if those of an hour were spread evenly over it;
   * `null` before the first.
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
      const eachMs = HOUR / hour.events;
      const count = Math.min(hour.events, Math.floor((at - hour.startAt) / eachMs + 0.5));
      if (count > 0) return Math.floor(hour.startAt + (count - 0.5) * eachMs);
    }
    return null;
  }
}
