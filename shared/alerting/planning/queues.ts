import type { Piece, Tick } from './plan.ts';

/** Where pieces of work wait. Delivered at least once. */
export interface Queue<T> {
  send(items: T[]): Promise<void>;
}

export type PieceQueue = Queue<Piece>;

/** A nudge to announce what a tick left owed; it may be lost, the sweep finds everything. */
export type NudgeQueue = Queue<{ tick: Tick['id'] }>;
