import { minuteOf } from '../time/minutes.ts';
import type { Window } from '../time/window.ts';
import type { Baseline, WindowReading } from './reading.ts';

/** A window of the past beside what it was held against, which was made of some of `windows`. */
export interface Pair {
  current: WindowReading;
  baseline: Baseline;
  windows: readonly Window[];
}

/** Pairs of one series: `owner` says whose they are, and `by` all that they depend on besides what was read. */
export interface PairsAsked {
  owner: string;
  by: string;
}

interface Made {
  pair: Pair;
  /** Ends of all windows that it was made of. */
  ends: readonly number[];
}

export type PairsByMinute = Map<number, Made>;

/** Pairs that were made of sheets, each until one of its windows is read again. */
export class PairCache {
  readonly #byOwner = new Map<string, { by: string; made: PairsByMinute }>();

  of({ owner, by }: PairsAsked): PairsByMinute {
    const known = this.#byOwner.get(owner);
    if (known?.by === by) return known.made;
    const made: PairsByMinute = new Map();
    this.#byOwner.set(owner, { by, made });
    return made;
  }

  /** The window that ends so was read again. */
  forget(endAt: number): void {
    for (const { made } of this.#byOwner.values())
      for (const { pair, ends } of made.values())
        if (ends.includes(endAt)) made.delete(minuteOf(pair.current.window.endAt));
  }
}

/** What one run may take of the pairs that were made before: those whose windows it would have read as they were then. */
export class CachedPairs {
  readonly #made: PairsByMinute;
  readonly #isReadAlike: (endAt: number) => boolean;

  constructor(made: PairsByMinute, isReadAlike: (endAt: number) => boolean) {
    this.#made = made;
    this.#isReadAlike = isReadAlike;
  }

  find({ endAt }: Window): Pair | undefined {
    const known = this.#made.get(minuteOf(endAt));
    if (!known) return undefined;
    for (const each of known.ends) if (!this.#isReadAlike(each)) return undefined;
    return known.pair;
  }

  /** What lacks a window may be another pair in the next run, and is not kept. */
  keep(pair: Pair): void {
    const { current, baseline, windows } = pair;
    const { origin } = baseline;
    const isMedian = origin.of === 'median';
    const used = isMedian ? windows : windows.slice(0, 1);
    const isWhole = isMedian ? origin.windows === used.length : baseline.window.endAt === used[0]?.endAt;
    if (!isWhole) return;
    const ends = [current.window.endAt, ...used.map(({ endAt }) => endAt)];
    this.#made.set(minuteOf(current.window.endAt), { pair, ends });
  }

  /** Lets go of those before the window, once they are more than `most`. */
  trim({ endAt }: Window, most: number): void {
    if (this.#made.size <= most) return;
    for (const minute of this.#made.keys()) if (minute < minuteOf(endAt)) this.#made.delete(minute);
  }
}
