/** Milliseconds since the Unix epoch, UTC. Every field whose name ends in `At` holds one. */
export type Millis = number;

/** Where "now" and waiting come from: the machine's in production, a hand-moved one in simulations and tests. */
export interface Clock {
  now(): Millis;
  sleep(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

/** A clock that stands until it is moved; sleeping moves it, so waits cost no real time. */
export class ManualClock implements Clock {
  #now: Millis;

  constructor(startAt: Millis) {
    this.#now = startAt;
  }

  now(): Millis {
    return this.#now;
  }

  /** Moves forward to `at`; a time already passed leaves the clock where it is. */
  advanceTo(at: Millis): void {
    this.#now = Math.max(this.#now, at);
  }

  async sleep(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
  }
}
