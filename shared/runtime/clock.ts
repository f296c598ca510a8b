/** Milliseconds since the Unix epoch, UTC. Every field whose name ends in `At` holds one. */
export type Millis = number;

/** The source of time and waiting: the system clock in production, a manual one in simulations and tests. */
export interface Clock {
  now(): Millis;
  sleep(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

/** A clock that only moves when told to. Sleeping moves it, so waits take no real time. */
export class ManualClock implements Clock {
  #now: Millis;

  constructor(startAt: Millis) {
    this.#now = startAt;
  }

  now(): Millis {
    return this.#now;
  }

  /** Moves forward to `at`. Never moves back. */
  advanceTo(at: Millis): void {
    this.#now = Math.max(this.#now, at);
  }

  async sleep(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
  }
}
