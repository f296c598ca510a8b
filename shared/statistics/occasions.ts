import type { BySide } from './expectation.ts';

/** A day with a name, such as a holiday or the day after it. */
export interface Occasion {
  name: string;
  /** Whether it is only beside a holiday. */
  isNear: boolean;
}

/** How far a holiday moves a series that is not known to react, as a log: to a half, or half as much again. */
const USUAL: BySide = { fall: 0.7, rise: 0.4 };

/** The part of this of a day beside a holiday. */
const NEAR = 0.5;

/** Number of past occasions with the same weight as `USUAL`. */
const WEIGHT = 4;

/** A name is as far as a year before, and a little further. */
const AS_BEFORE = 1.2;

/**
 * What holidays do to a series. The first ones widen its limits by what is usual, later ones by what was seen, and from
 * one year on each by what it did before. A series without reactions gets its limits back.
 */
export class Occasions {
  readonly #windowsADay: number;
  /** Log ratios to the level. */
  readonly #before = new Map<string, number>();
  readonly #squares = { fall: 0, rise: 0 };
  #seen = 0;

  constructor(windowsADay: number) {
    this.#windowsADay = windowsADay;
  }

  /** The allowed log ratios to the season, both from 0. `season`: its log ratio to the level. */
  allowed(key: string, { isNear }: Occasion, season: number): BySide {
    const before = this.#before.get(key);
    if (before !== undefined) {
      const change = AS_BEFORE * (before - season);
      return { fall: Math.max(0, -change), rise: Math.max(0, change) };
    }
    const weight = WEIGHT * this.#windowsADay;
    const of = (side: keyof BySide) =>
      (isNear ? NEAR : 1) *
      Math.sqrt((weight * USUAL[side] ** 2 + this.#squares[side]) / (weight + this.#seen));
    return { fall: of('fall'), rise: of('rise') };
  }

  /** Adds a window: its log ratio to the season. */
  learn(key: string, { isNear }: Occasion, ratio: number, season: number): void {
    this.#before.set(key, season + ratio);
    this.#seen++;
    this.#squares[ratio < 0 ? 'fall' : 'rise'] += (ratio / (isNear ? NEAR : 1)) ** 2;
  }
}
