import { RunningQuantile } from './running-quantile.ts';

/** A gap that as many days of the memory have had is nothing to speak of. */
const USUAL_DAYS = 4;

/**
 * How large a gap must be in this series to be worth an alarm: at least as large as the fourth largest day of the
 * last eight weeks. Falls and rises are apart, because a series with bursts is no less able to tell of a fall; and
 * days, not windows, because one bad day has many windows and is one page.
 */
export class SeasonalLimit {
  readonly #rises: RunningQuantile;
  readonly #falls: RunningQuantile;
  readonly #windowsADay: number;
  readonly #floor: number;
  #highest = 0;
  #lowest = 0;
  #steps = 0;

  /** `floor`: no smaller gap is an alarm, however calm the series. */
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

  /** One more window; `z` is 0 where nothing is known of it. */
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
