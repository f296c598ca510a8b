import { minuteOf } from '../time/minutes.ts';
import { PairCache, type PairsAsked, type PairsByMinute } from './cached-pairs.ts';
import { type IndexedSnapshot, indexed, type Period } from './indexed-snapshot.ts';
import type { Reading, Snapshot } from './reading.ts';

/** Ends of windows, both included. */
export interface Ends {
  fromEndAt: number;
  throughEndAt: number;
}

/** What was read off the newest sheets about one series, by `minuteOf` the ends; `null`: nothing is known. */
export type NewsContext = Record<Period, Map<number, Reading | null>>;

/** Sheets of one family, by the ends of their windows. */
export interface Snapshots {
  /** Whether a sheet of this window would be had, if there is one. */
  sees(endAt: number): boolean;
  /** The newest first; empty where the window was not read. */
  at(endAt: number): readonly IndexedSnapshot[];
  /** Those of each window, in order of the windows. */
  inOrder(): readonly (readonly IndexedSnapshot[])[];
  add(snapshot: Snapshot): void;
  /** Of what has this key; whoever reads a sheet puts it there. May tell of windows that are not had here. */
  notified(key: string): NewsContext;
  /** Pairs that earlier runs made, where runs share the sheets. */
  pairs?(asked: PairsAsked): PairsByMinute;
  /** Of each question the spans in which every window was found to be answered. */
  readonly answered: Map<string, Ends[]>;
}

/** Keeps sheets, of one run or of many that share a process. None is ever taken away. */
export class SnapshotCache implements Snapshots {
  readonly answered = new Map<string, Ends[]>();
  /** By `minuteOf` the ends. */
  readonly #byEnd = new Map<number, IndexedSnapshot[]>();
  readonly #told = new Map<string, NewsContext>();
  /** Of runs that look at a part of it; a shelf of one run needs none. */
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

  /** Nothing was made of a window without sheets. */
  #forget(endAt: number): void {
    this.madePairs.forget(endAt);
    for (const { current, previous } of this.#told.values()) {
      current.delete(minuteOf(endAt));
      previous.delete(minuteOf(endAt));
    }
  }

  notified(key: string): NewsContext {
    const notified = this.#told.get(key) ?? { current: new Map(), previous: new Map() };
    this.#told.set(key, notified);
    return notified;
  }
}

/**
 * What one run sees of a shelf that lives longer: the sheets between the ends that it would have loaded, and those that
 * it adds itself, which whoever keeps the shelf puts there.
 */
export class SnapshotCacheView implements Snapshots {
  readonly #shelf: SnapshotCache;
  readonly #ranges: readonly Ends[];
  readonly #added = new Set<number>();
  #inOrder: readonly (readonly IndexedSnapshot[])[] | undefined;

  /** `ranges` are apart from one another and in order. */
  constructor(cache: SnapshotCache, ranges: readonly Ends[]) {
    this.#shelf = cache;
    this.#ranges = ranges;
  }

  get answered(): Map<string, Ends[]> {
    return this.#shelf.answered;
  }

  sees(endAt: number): boolean {
    return this.#isLoaded(endAt) || this.#added.has(endAt);
  }

  at(endAt: number): readonly IndexedSnapshot[] {
    return this.sees(endAt) ? this.#shelf.at(endAt) : NONE;
  }

  inOrder(): readonly (readonly IndexedSnapshot[])[] {
    this.#inOrder ??= this.#seen();
    return this.#inOrder;
  }

  add({ window }: Snapshot): void {
    if (!this.#isLoaded(window.endAt)) this.#added.add(window.endAt);
    this.#inOrder = undefined;
  }

  notified(key: string): NewsContext {
    return this.#shelf.notified(key);
  }

  pairs(asked: PairsAsked): PairsByMinute {
    return this.#shelf.madePairs.of(asked);
  }

  #isLoaded(endAt: number): boolean {
    for (const { fromEndAt, throughEndAt } of this.#ranges)
      if (fromEndAt <= endAt && endAt <= throughEndAt) return true;
    return false;
  }

  #seen(): (readonly IndexedSnapshot[])[] {
    const all = this.#shelf.inOrder();
    const loaded = this.#ranges.flatMap(({ fromEndAt, throughEndAt }) =>
      all.slice(firstFrom(all, fromEndAt), firstFrom(all, throughEndAt + 1)),
    );
    if (this.#added.size === 0) return loaded;
    const added = [...this.#added].map((endAt) => this.#shelf.at(endAt));
    return [...loaded, ...added].sort((a, b) => endOf(a) - endOf(b));
  }
}

function endOf([snapshot]: readonly IndexedSnapshot[]): number {
  return snapshot?.endAt ?? Infinity;
}

/** The place of the first of those in order whose window ends at `endAt` or later. */
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
