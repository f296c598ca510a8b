import { RunningQuantile } from './running-quantile.ts';

/** A gap that this many remembered days had is not unusual. */
const USUAL_DAYS = 4;

/**
 * How large a gap must be in this series to fire: at least as large as the fourth largest day of the last eight weeks.
 * Falls and rises are separate, because bursts must not hide falls. Days count, not windows, because one bad day has
 * many windows but is one incident.
 */
export class SeasonalLimit {
  readonly #rises: RunningQuantile;
  readonly #falls: RunningQuantile;
  readonly #windowsADay: number;
  readonly #floor: number;
  #highest = 0;
  #lowest = 0;
  #steps = 0;

  /** `floor`: the smallest gap that fires, however steady the series. */
  constructor({ days, windowsADay, floor }: { days: number; windowsADay: number; floor: number }) {
    this.#floor = floor;
    this.#rises = new RunningQuantile(days);
    this.#falls = new RunningQuantile(days);
    this.#windowsADay = windowsADay;
  }

  /** The size that a gap in the direction of `z` must reach. */
  limitFor(z: number): number {
    return Math.max(this.#floor, this.#side(z).largest(USUAL_DAYS));
  }

  /** Days remembered, and how many of them had a gap as large in the same direction. */
  rankOf(z: number): { larger: number; days: number } {
    const side = this.#side(z);
    return { larger: side.countFrom(Math.abs(z)), days: side.size };
  }

  /** Adds a window; `z` is 0 if its value is unknown. */
  learn(z: number): void {
    this.#highest = Math.max(this.#highest, z);
    this.#lowest = Math.min(this.#lowest, z);
    this.#steps++;
    if (this.#steps % this.#windowsADay !== 0) return;
    this.#rises.push(this.#highest);
    this.#falls.push(-this.#lowest);
    this.#highest = 0;
    this.#lowest = 0;
  }

  #side(z: number): RunningQuantile {
    return z < 0 ? this.#falls : this.#rises;
  }
}
