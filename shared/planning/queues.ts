import type { Batch, Tick } from './plan.ts';

/** A queue with delivery at least once. */
export interface Queue<T> {
  send(items: T[]): Promise<void>;
}

export type BatchQueue = Queue<Batch>;

/** Wakes up the sender of the pending notifications of a tick. It may be lost, as the sweep finds them too. */
export type WakeUpQueue = Queue<{ tick: Tick['id'] }>;
