import { minuteOf } from '../time/window.ts';
import { PairCache, type PairsAsked, type PairsByMinute } from './cached-pairs.ts';
import { type IndexedSnapshot, indexed, type Period } from './indexed-snapshot.ts';
import type { Reading, Snapshot } from './reading.ts';

/** Ends of windows, both included. */
export interface Ends {
  fromEndAt: number;
  throughEndAt: number;
}

/** Cached readings of one series by `minuteOf` the window ends; `null`: no reading. */
export type CachedReadings = Record<Period, Map<number, Reading | null>>;

/** Snapshots of one family by the ends of their windows. */
export interface Snapshots {
  /** Whether snapshots of this window are loaded, if there are any. */
  sees(endAt: number): boolean;
  /** Newest first; empty if the window was not read. */
  at(endAt: number): readonly IndexedSnapshot[];
  /** The snapshots of each window, in order of the windows. */
  inOrder(): readonly (readonly IndexedSnapshot[])[];
  add(snapshot: Snapshot): void;
  /** The cached readings of this key, which callers fill. They may include windows that are not loaded here. */
  cached(key: string): CachedReadings;
  /** Pairs from earlier runs, if runs share the snapshots. */
  pairs?(asked: PairsAsked): PairsByMinute;
  /** By question, the ranges in which every window is answered. */
  readonly answered: Map<string, Ends[]>;
}

/** Keeps the snapshots of one run, or of several in one process. Never removes any. */
export class SnapshotCache implements Snapshots {
  readonly answered = new Map<string, Ends[]>();
  /** By `minuteOf` the ends. */
  readonly #byEnd = new Map<number, IndexedSnapshot[]>();
  readonly #readings = new Map<string, CachedReadings>();
  /** Used by views only, as the cache of a single run does not need it. */
  readonly madePairs = new PairCache();
  #inOrder: IndexedSnapshot[][] = [];
  #isInOrder = true;

  sees(): boolean {
    return true;
  }

  at(endAt: number): readonly IndexedSnapshot[] {
    return this.#byEnd.get(minuteOf(endAt)) ?? NONE;
  }

  inOrder(): readonly (readonly IndexedSnapshot[])[] {
    if (!this.#isInOrder) this.#inOrder.sort((a, b) => endOf(a) - endOf(b));
    this.#isInOrder = true;
    return this.#inOrder;
  }

  add(snapshot: Snapshot): void {
    const { endAt } = snapshot.window;
    const minute = minuteOf(endAt);
    const same = this.#byEnd.get(minute);
    if (same) {
      same.push(indexed(snapshot));
      same.sort((a, b) => b.readAt - a.readAt);
      this.#forget(endAt);
      return;
    }
    const snapshots = [indexed(snapshot)];
    this.#byEnd.set(minute, snapshots);
    const last = this.#inOrder.at(-1);
    this.#isInOrder &&= !last || endAt > endOf(last);
    this.#inOrder.push(snapshots);
  }

  /** Removes cached values of the window. Only needed if it already had snapshots. */
  #forget(endAt: number): void {
    this.madePairs.forget(endAt);
    for (const { current, previous } of this.#readings.values()) {
      current.delete(minuteOf(endAt));
      previous.delete(minuteOf(endAt));
    }
  }

  cached(key: string): CachedReadings {
    const cached = this.#readings.get(key) ?? { current: new Map(), previous: new Map() };
    this.#readings.set(key, cached);
    return cached;
  }
}

/**
 * The part of a shared cache that one run sees: the snapshots in `ranges`, and those that it adds. `add` only records
 * the window; the owner of the cache adds the snapshot.
 */
export class SnapshotCacheView implements Snapshots {
  readonly #cache: SnapshotCache;
  readonly #ranges: readonly Ends[];
  readonly #added = new Set<number>();
  #inOrder: readonly (readonly IndexedSnapshot[])[] | undefined;

  /** `ranges` are disjoint and in order. */
  constructor(cache: SnapshotCache, ranges: readonly Ends[]) {
    this.#cache = cache;
    this.#ranges = ranges;
  }

  get answered(): Map<string, Ends[]> {
    return this.#cache.answered;
  }

  sees(endAt: number): boolean {
    return this.#isLoaded(endAt) || this.#added.has(endAt);
  }

  at(endAt: number): readonly IndexedSnapshot[] {
    return this.sees(endAt) ? this.#cache.at(endAt) : NONE;
  }

  inOrder(): readonly (readonly IndexedSnapshot[])[] {
    this.#inOrder ??= this.#seen();
    return this.#inOrder;
  }

  add({ window }: Snapshot): void {
    if (!this.#isLoaded(window.endAt)) this.#added.add(window.endAt);
    this.#inOrder = undefined;
  }

  cached(key: string): CachedReadings {
    return this.#cache.cached(key);
  }

  pairs(asked: PairsAsked): PairsByMinute {
    return this.#cache.madePairs.of(asked);
  }

  #isLoaded(endAt: number): boolean {
    for (const { fromEndAt, throughEndAt } of this.#ranges)
      if (fromEndAt <= endAt && endAt <= throughEndAt) return true;
    return false;
  }

  #seen(): (readonly IndexedSnapshot[])[] {
    const all = this.#cache.inOrder();
    const loaded = this.#ranges.flatMap(({ fromEndAt, throughEndAt }) =>
      all.slice(firstFrom(all, fromEndAt), firstFrom(all, throughEndAt + 1)),
    );
    if (this.#added.size === 0) return loaded;
    const added = [...this.#added].map((endAt) => this.#cache.at(endAt));
    return [...loaded, ...added].sort((a, b) => endOf(a) - endOf(b));
  }
}

function endOf([snapshot]: readonly IndexedSnapshot[]): number {
  return snapshot?.endAt ?? Infinity;
}

/** The index of the first window that ends at `endAt` or later. */
function firstFrom(inOrder: readonly (readonly IndexedSnapshot[])[], endAt: number): number {
  let [low, high] = [0, inOrder.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (endOf(inOrder[middle] ?? NONE) < endAt) low = middle + 1;
    else high = middle;
  }
  return low;
}

const NONE: readonly IndexedSnapshot[] = [];
