import { minuteOf, type Window } from '../time/window.ts';
import type { Baseline, WindowReading } from './reading.ts';

/** A past window with its baseline, which is computed from some of `windows`. */
export interface Pair {
  current: WindowReading;
  baseline: Baseline;
  windows: readonly Window[];
}

/** The key of the pairs of one series. `by` is everything that they depend on besides readings. */
export interface PairsAsked {
  owner: string;
  by: string;
}

interface Made {
  pair: Pair;
  /** The ends of all windows that the pair depends on. */
  ends: readonly number[];
}

export type PairsByMinute = Map<number, Made>;

/** Caches pairs until one of their windows is read again. */
export class PairCache {
  readonly #byOwner = new Map<string, { by: string; made: PairsByMinute }>();

  of({ owner, by }: PairsAsked): PairsByMinute {
    const known = this.#byOwner.get(owner);
    if (known?.by === by) return known.made;
    const made: PairsByMinute = new Map();
    this.#byOwner.set(owner, { by, made });
    return made;
  }

  /** Removes the pairs of a window that was read again. */
  forget(endAt: number): void {
    for (const { made } of this.#byOwner.values())
      for (const { pair, ends } of made.values())
        if (ends.includes(endAt)) made.delete(minuteOf(pair.current.window.endAt));
  }
}

/** The cached pairs that one run may use: those whose windows it has loaded too. */
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

  /** Pairs that lack a window are not cached, as they may differ in the next run. */
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

  /** Removes the pairs before the window once there are more than `most`. */
  trim({ endAt }: Window, most: number): void {
    if (this.#made.size <= most) return;
    for (const minute of this.#made.keys()) if (minute < minuteOf(endAt)) this.#made.delete(minute);
  }
}
