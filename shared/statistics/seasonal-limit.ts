import { RunningQuantile } from './running-quantile.ts';

/** A deviation that at least this many remembered days reached is normal. */
const USUAL_DAYS = 4;

/**
 * The minimum deviation that fires for this series: the fourth largest daily extreme of the last eight weeks. Falls and
 * rises have separate limits, so that bursts do not hide falls. It counts days instead of windows, because one bad day
 * has many windows but is one incident.
 */
export class SeasonalLimit {
  readonly #rises: RunningQuantile;
  readonly #falls: RunningQuantile;
  readonly #windowsADay: number;
  readonly #floor: number;
  #highest = 0;
  #lowest = 0;
  #steps = 0;

  /** `floor`: minimum of the limit, also for a series without variation. */
  constructor({ days, windowsADay, floor }: { days: number; windowsADay: number; floor: number }) {
    this.#floor = floor;
    this.#rises = new RunningQuantile(days);
    this.#falls = new RunningQuantile(days);
    this.#windowsADay = windowsADay;
  }

  /** The limit of `|z|` in the direction of `z`. */
  limitFor(z: number): number {
    return Math.max(this.#floor, this.#side(z).largest(USUAL_DAYS));
  }

  /** The number of remembered days, and how many of them had a deviation at least as large in this direction. */
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
