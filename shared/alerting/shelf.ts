import { type IndexedSheet, indexed } from './indexed-sheet.ts';
import type { Sheet } from './reading.ts';

/** Ends of windows, both included. */
export interface Ends {
  fromEndAt: number;
  throughEndAt: number;
}

/** Sheets of one family, by the ends of their windows. */
export interface Sheets {
  /** The newest first; empty where the window was not read. */
  at(endAt: number): readonly IndexedSheet[];
  /** The ends of all windows that were read, in order. */
  ends(): readonly number[];
  add(sheet: Sheet): void;
  /** Of each question the spans in which every window was found to be answered. */
  readonly answered: Map<string, Ends[]>;
}

/** Keeps sheets, of one run or of many that share a process. None is ever taken away. */
export class Shelf implements Sheets {
  readonly answered = new Map<string, Ends[]>();
  readonly #byEnd = new Map<number, IndexedSheet[]>();
  #ends: number[] = [];
  #isSorted = true;

  at(endAt: number): readonly IndexedSheet[] {
    return this.#byEnd.get(endAt) ?? NONE;
  }

  ends(): readonly number[] {
    if (!this.#isSorted) this.#ends.sort((a, b) => a - b);
    this.#isSorted = true;
    return this.#ends;
  }

  add(sheet: Sheet): void {
    const { endAt } = sheet.window;
    const same = this.#byEnd.get(endAt);
    if (same) {
      same.push(indexed(sheet));
      same.sort((a, b) => b.readAt - a.readAt);
      return;
    }
    this.#byEnd.set(endAt, [indexed(sheet)]);
    this.#isSorted &&= endAt > (this.#ends.at(-1) ?? -Infinity);
    this.#ends.push(endAt);
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
  #ends: number[] | undefined;

  /** `ranges` are apart from one another and in order. */
  constructor(shelf: Shelf, ranges: readonly Ends[]) {
    this.#shelf = shelf;
    this.#ranges = ranges;
  }

  get answered(): Map<string, Ends[]> {
    return this.#shelf.answered;
  }

  at(endAt: number): readonly IndexedSheet[] {
    return this.#isSeen(endAt) ? this.#shelf.at(endAt) : NONE;
  }

  ends(): readonly number[] {
    this.#ends ??= this.#seenEnds();
    return this.#ends;
  }

  add({ window }: Sheet): void {
    this.#added.add(window.endAt);
    this.#ends = undefined;
  }

  #isSeen(endAt: number): boolean {
    for (const { fromEndAt, throughEndAt } of this.#ranges)
      if (fromEndAt <= endAt && endAt <= throughEndAt) return true;
    return this.#added.has(endAt);
  }

  #seenEnds(): number[] {
    const all = this.#shelf.ends();
    const seen = this.#ranges.flatMap(({ fromEndAt, throughEndAt }) =>
      all.slice(firstFrom(all, fromEndAt), firstFrom(all, throughEndAt + 1)),
    );
    const more = [...this.#added].filter(
      (endAt) => !this.#ranges.some((each) => each.fromEndAt <= endAt && endAt <= each.throughEndAt),
    );
    return more.length > 0 ? [...seen, ...more].sort((a, b) => a - b) : seen;
  }
}

/** The place of the first of `sorted` that is `value` or more. */
function firstFrom(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const NONE: readonly IndexedSheet[] = [];
