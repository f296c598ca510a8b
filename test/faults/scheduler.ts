import { setImmediate } from 'node:timers/promises';

interface Timer {
  at: number;
  run: () => void;
}

/**
 * Virtual time. The code under test waits only for timers of this class, so a seed always gives the same run, and days
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

  /** Calls `run` at this time, or now if it has passed; timers of the same time run in the order they were set. */
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

  /** Runs all timers up to `endAt`, one at a time. Woken code reaches its next wait before the next timer. */
  async runUntil(endAt: number): Promise<void> {
    for (let timer = this.#timers.at(-1); timer && timer.at <= endAt; timer = this.#timers.at(-1)) {
      this.#timers.pop();
      this.#now = timer.at;
      timer.run();
      // Settled promises run first, and an unhandled rejection is reported.
      await setImmediate();
    }
    this.#now = endAt;
  }
}
