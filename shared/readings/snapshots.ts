import { minuteOf } from '../time/window.ts';
import { type IndexedSnapshot, indexed } from './indexed-snapshot.ts';
import type { Snapshot } from './reading.ts';

/** Ends of windows, both included. */
export interface Ends {
  fromEndAt: number;
  throughEndAt: number;
}

export interface ReadingStore {
  /** Snapshots whose window ends in `[from, through]`, in order; with `eventNames`, without those of only other events. */
  load(family: string, range: Ends, eventNames?: string[]): Promise<Snapshot[]>;
  /** Saves a snapshot. Does nothing if there is one of the same family, window, `rereadAt`, event names and keys. */
  save(snapshot: Snapshot): Promise<void>;
}

/** Snapshots of one family by the ends of their windows. */
export class Snapshots {
  /** By `minuteOf` the ends. */
  readonly #byEnd = new Map<number, IndexedSnapshot[]>();
  #inOrder: IndexedSnapshot[][] = [];
  #isInOrder = true;

  /** Newest first; empty if the window was not read. */
  at(endAt: number): readonly IndexedSnapshot[] {
    return this.#byEnd.get(minuteOf(endAt)) ?? NONE;
  }

  /** The snapshots of each window, in order of the windows. */
  inOrder(): readonly (readonly IndexedSnapshot[])[] {
    if (!this.#isInOrder) this.#inOrder.sort((a, b) => endOf(a) - endOf(b));
    this.#isInOrder = true;
    return this.#inOrder;
  }

  add(snapshot: Snapshot): void {
    const { endAt } = snapshot.window;
    const same = this.#byEnd.get(minuteOf(endAt));
    if (same) {
      same.push(indexed(snapshot));
      same.sort((a, b) => b.readAt - a.readAt);
      return;
    }
    const snapshots = [indexed(snapshot)];
    this.#byEnd.set(minuteOf(endAt), snapshots);
    const last = this.#inOrder.at(-1);
    this.#isInOrder &&= !last || endAt > endOf(last);
    this.#inOrder.push(snapshots);
  }
}

function endOf([snapshot]: readonly IndexedSnapshot[]): number {
  return snapshot?.endAt ?? Infinity;
}

const NONE: readonly IndexedSnapshot[] = [];
