import type { Batch, Tick } from './plan.ts';

/** Where pieces of work wait. Delivered at least once. */
export interface Queue<T> {
  send(items: T[]): Promise<void>;
}

export type BatchQueue = Queue<Batch>;

/** A nudge to announce what a tick left owed; it may be lost, the sweep finds everything. */
export type WakeUpQueue = Queue<{ tick: Tick['id'] }>;
