import { minuteOf } from '../time/minutes.ts';
import { type ByMinute, PairShelf, type PairsAsked } from './cached-pairs.ts';
import { type IndexedSheet, indexed, type Period } from './indexed-snapshot.ts';
import type { Reading, Sheet } from './reading.ts';

/** Ends of windows, both included. */
export interface Ends {
  fromEndAt: number;
  throughEndAt: number;
}

/** What was read off the newest sheets about one series, by `minuteOf` the ends; `null`: nothing is known. */
export type Told = Record<Period, Map<number, Reading | null>>;

/** Sheets of one family, by the ends of their windows. */
export interface Sheets {
  /** Whether a sheet of this window would be had, if there is one. */
  sees(endAt: number): boolean;
  /** The newest first; empty where the window was not read. */
  at(endAt: number): readonly IndexedSheet[];
  /** Those of each window, in order of the windows. */
  inOrder(): readonly (readonly IndexedSheet[])[];
  add(sheet: Sheet): void;
  /** Of what has this key; whoever reads a sheet puts it there. May tell of windows that are not had here. */
  told(key: string): Told;
  /** Pairs that earlier runs made, where runs share the sheets. */
  pairs?(asked: PairsAsked): ByMinute;
  /** Of each question the spans in which every window was found to be answered. */
  readonly answered: Map<string, Ends[]>;
}

/** Keeps sheets, of one run or of many that share a process. None is ever taken away. */
export class Shelf implements Sheets {
  readonly answered = new Map<string, Ends[]>();
  /** By `minuteOf` the ends. */
  readonly #byEnd = new Map<number, IndexedSheet[]>();
  readonly #told = new Map<string, Told>();
  /** Of runs that look at a part of it; a shelf of one run needs none. */
  readonly madePairs = new PairShelf();
  #inOrder: IndexedSheet[][] = [];
  #isInOrder = true;

  sees(): boolean {
    return true;
  }

  at(endAt: number): readonly IndexedSheet[] {
    return this.#byEnd.get(minuteOf(endAt)) ?? NONE;
  }

  inOrder(): readonly (readonly IndexedSheet[])[] {
    if (!this.#isInOrder) this.#inOrder.sort((a, b) => endOf(a) - endOf(b));
    this.#isInOrder = true;
    return this.#inOrder;
  }

  add(sheet: Sheet): void {
    const { endAt } = sheet.window;
    const minute = minuteOf(endAt);
    const same = this.#byEnd.get(minute);
    if (same) {
      same.push(indexed(sheet));
      same.sort((a, b) => b.readAt - a.readAt);
      this.#forget(endAt);
      return;
    }
    const sheets = [indexed(sheet)];
    this.#byEnd.set(minute, sheets);
    const last = this.#inOrder.at(-1);
    this.#isInOrder &&= !last || endAt > endOf(last);
    this.#inOrder.push(sheets);
  }

  /** Nothing was made of a window without sheets. */
  #forget(endAt: number): void {
    this.madePairs.forget(endAt);
    for (const { current, previous } of this.#told.values()) {
      current.delete(minuteOf(endAt));
      previous.delete(minuteOf(endAt));
    }
  }

  told(key: string): Told {
    const told = this.#told.get(key) ?? { current: new Map(), previous: new Map() };
    this.#told.set(key, told);
    return told;
  }
}

/**
 * What one run sees of a shelf that lives longer: the sheets between the ends that it would have loaded, and those that
 * it adds itself, which whoever keeps the shelf puts there.
 */
export class ShelfView implements Sheets {
  readonly #shelf: Shelf;
  readonly #ranges: readonly Ends[];
  readonly #added = new Set<number>();
  #inOrder: readonly (readonly IndexedSheet[])[] | undefined;

  /** `ranges` are apart from one another and in order. */
  constructor(shelf: Shelf, ranges: readonly Ends[]) {
    this.#shelf = shelf;
    this.#ranges = ranges;
  }

  get answered(): Map<string, Ends[]> {
    return this.#shelf.answered;
  }

  sees(endAt: number): boolean {
    return this.#isLoaded(endAt) || this.#added.has(endAt);
  }

  at(endAt: number): readonly IndexedSheet[] {
    return this.sees(endAt) ? this.#shelf.at(endAt) : NONE;
  }

  inOrder(): readonly (readonly IndexedSheet[])[] {
    this.#inOrder ??= this.#seen();
    return this.#inOrder;
  }

  add({ window }: Sheet): void {
    if (!this.#isLoaded(window.endAt)) this.#added.add(window.endAt);
    this.#inOrder = undefined;
  }

  told(key: string): Told {
    return this.#shelf.told(key);
  }

  pairs(asked: PairsAsked): ByMinute {
    return this.#shelf.madePairs.of(asked);
  }

  #isLoaded(endAt: number): boolean {
    for (const { fromEndAt, throughEndAt } of this.#ranges)
      if (fromEndAt <= endAt && endAt <= throughEndAt) return true;
    return false;
  }

  #seen(): (readonly IndexedSheet[])[] {
    const all = this.#shelf.inOrder();
    const loaded = this.#ranges.flatMap(({ fromEndAt, throughEndAt }) =>
      all.slice(firstFrom(all, fromEndAt), firstFrom(all, throughEndAt + 1)),
    );
    if (this.#added.size === 0) return loaded;
    const added = [...this.#added].map((endAt) => this.#shelf.at(endAt));
    return [...loaded, ...added].sort((a, b) => endOf(a) - endOf(b));
  }
}

function endOf([sheet]: readonly IndexedSheet[]): number {
  return sheet?.endAt ?? Infinity;
}

/** The place of the first of those in order whose window ends at `endAt` or later. */
function firstFrom(inOrder: readonly (readonly IndexedSheet[])[], endAt: number): number {
  let [low, high] = [0, inOrder.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (endOf(inOrder[middle] ?? NONE) < endAt) low = middle + 1;
    else high = middle;
  }
  return low;
}

const NONE: readonly IndexedSheet[] = [];
