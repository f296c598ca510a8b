import type { Queue } from '../shared/alerting/planning/queues.ts';

/**
 * A queue inside this process. What waits in it is gone when the process ends; nothing depends on it, because the
 * next tick finds what was not judged and the sweep finds what was not sent.
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
