import type { Queue } from '../shared/planning/queues.ts';

/**
 * An in-memory queue. A crash loses its messages. That is safe: the next run evaluates missed windows, and the
 * sweep sends pending notifications.
 */
export class ProcessQueue<T> implements Queue<T> {
  #waiting: T[] = [];

  async send(items: T[]): Promise<void> {
    this.#waiting.push(...items);
  }

  /** Handles all items in order, including those added meanwhile. Does not retry an item that throws. */
  async drain(handle: (item: T) => Promise<void>): Promise<void> {
    for (let item = this.#waiting.shift(); item !== undefined; item = this.#waiting.shift())
      await handle(item);
  }
}
