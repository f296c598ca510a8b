import { setImmediate } from 'node:timers/promises';

interface Timer {
  at: number;
  run: () => void;
}

/**
 * Virtual time. Whatever the code under test waits for is a timer here, so one seed always gives the same run, and days
 * pass in milliseconds.
 */
export class Scheduler {
  #now: number;
  /** The latest first. */
  readonly #timers: Timer[] = [];

  constructor(startAt: number) {
    this.#now = startAt;
  }

  get now(): number {
    return this.#now;
  }

  /** Calls `run` at this time, or now if it has passed; those of the same time in the order in which they were set. */
  at(at: number, run: () => void): void {
    const timer = { at: Math.max(at, this.#now), run };
    let [low, high] = [0, this.#timers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#timers[middle]?.at ?? 0) > timer.at) low = middle + 1;
      else high = middle;
    }
    this.#timers.splice(low, 0, timer);
  }

  after(milliseconds: number, run: () => void): void {
    this.at(this.#now + milliseconds, run);
  }

  /** Runs all timers up to `endAt`, one at a time; the code that one wakes gets to its next wait before the next one. */
  async runUntil(endAt: number): Promise<void> {
    for (let timer = this.#timers.at(-1); timer && timer.at <= endAt; timer = this.#timers.at(-1)) {
      this.#timers.pop();
      this.#now = timer.at;
      timer.run();
      // Promises that were settled run first, and a rejection that nobody handles is reported.
      await setImmediate();
    }
    this.#now = endAt;
  }
}
