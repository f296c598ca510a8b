import { type Clock, ManualClock, type Millis } from '../shared/runtime/clock.ts';

/** A clock that is advanced manually until `goLive`, and then follows the present. */
export class FastForwardClock implements Clock {
  readonly #past: ManualClock;
  readonly #present: Clock;
  #current: Clock;

  constructor(startAt: Millis, present: Clock) {
    this.#past = new ManualClock(startAt);
    this.#present = present;
    this.#current = this.#past;
  }

  now(): Millis {
    return this.#current.now();
  }

  sleep(milliseconds: number): Promise<void> {
    return this.#current.sleep(milliseconds);
  }

  advanceTo(at: Millis): void {
    this.#past.advanceTo(at);
  }

  goLive(): void {
    this.#current = this.#present;
  }
}
