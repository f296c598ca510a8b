import type { Queue } from '../shared/alerting/planning/queues.ts';

/**
 * An in-process queue. Its messages are lost with the process, which is safe: the next run evaluates what was
 * missed, and the sweep sends what is pending.
 */
export class ProcessQueue<T> implements Queue<T> {
  #waiting: T[] = [];

  async send(items: T[]): Promise<void> {
    this.#waiting.push(...items);
  }

  /** Handles what waits, in order, and what comes in meanwhile. An item whose handling throws is not tried again. */
  async drain(handle: (item: T) => Promise<void>): Promise<void> {
    for (let item = this.#waiting.shift(); item !== undefined; item = this.#waiting.shift())
      await handle(item);
  }
}
