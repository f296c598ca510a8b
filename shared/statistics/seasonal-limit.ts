import { RecentExtremes } from './recent-extremes.ts';

/** The limit of one side, from the extremes of its remembered days. */
export type LimitOf = (extremes: RecentExtremes) => number;

/** How long a limit remembers, and what it is multiplied by. */
export interface LimitSpan {
  days: number;
  windowsADay: number;
  factor: number;
}

/** With fewer days, it is unknown how large outliers of the series are. */
const KNOWN_DAYS = 7;

/** A limit between `calm` and `wild` is this multiple of the fourth largest day. */
const BEYOND_RECURRING = 2;

/**
 * A limit in standard deviations. The fourth largest day of eight weeks recurs, so it is normal. A calm series has a
 * lower limit than one whose outliers are far out or unknown.
 */
export function sigmaLimit(calm: number, wild = calm): LimitOf {
  return (extremes) => {
    const recurring = extremes.largest(4);
    const floor = extremes.size < KNOWN_DAYS ? wild : Math.max(calm, BEYOND_RECURRING * recurring);
    return Math.max(recurring, Math.min(wild, floor));
  };
}

/** A limit for deviations without a scale of chance: `floor`, raised less than proportionally by the second largest day. */
export function sizeLimit(floor: number, power: number): LimitOf {
  return (extremes) => floor * Math.max(1, extremes.largest(2) / floor) ** power;
}

/**
 * The minimum deviation that fires for this series, from the daily extremes of the last eight weeks. Falls and rises have
 * separate limits, so that bursts do not hide falls. It counts days instead of windows, because one bad day has many
 * windows but is one incident.
 */
export class SeasonalLimit {
  readonly #rises: RecentExtremes;
  readonly #falls: RecentExtremes;
  readonly #span: LimitSpan;
  readonly #limitOf: { fall: LimitOf; rise: LimitOf };
  #highest = 0;
  #lowest = 0;
  #isKnown = false;
  #steps = 0;
  #rise: number;
  #fall: number;

  constructor(span: LimitSpan, limitOf: { fall: LimitOf; rise: LimitOf }) {
    this.#limitOf = limitOf;
    this.#rises = new RecentExtremes(span.days);
    this.#falls = new RecentExtremes(span.days);
    this.#span = span;
    this.#rise = limitOf.rise(this.#rises);
    this.#fall = limitOf.fall(this.#falls);
  }

  /** The limit of `|z|` in the direction of `z`. */
  limitFor(z: number): number {
    return this.#span.factor * (z < 0 ? this.#fall : this.#rise);
  }

  /** The number of remembered days, and how many of them had a deviation at least as large in this direction. */
  rankOf(z: number): { larger: number; remembered: number } {
    const side = z < 0 ? this.#falls : this.#rises;
    return { larger: side.countFrom(Math.abs(z)), remembered: side.size };
  }

  /** Adds a window; `undefined` if nothing is learned from it. A day without any learned window is not remembered. */
  learn(z: number | undefined): void {
    if (z !== undefined) {
      this.#highest = Math.max(this.#highest, z);
      this.#lowest = Math.min(this.#lowest, z);
      this.#isKnown = true;
    }
    this.#steps++;
    if (this.#steps % this.#span.windowsADay !== 0 || !this.#isKnown) return;
    this.#isKnown = false;
    this.#rises.push(this.#highest);
    this.#falls.push(-this.#lowest);
    this.#highest = 0;
    this.#lowest = 0;
    this.#rise = this.#limitOf.rise(this.#rises);
    this.#fall = this.#limitOf.fall(this.#falls);
  }
}
