import type { Clock, Millis } from '../../../shared/runtime/clock.ts';
import { MINUTE_MS } from '../../../shared/units/durations.ts';

/** A value that is made on demand, and made again after it is dropped or could not be made. */
export class Kept<T> {
  readonly #make: () => Promise<T>;
  readonly #retire: (made: T) => void;
  #made: Promise<T> | undefined;
  #ended = false;

  constructor(make: () => Promise<T>, retire: (made: T) => void = () => {}) {
    this.#make = make;
    this.#retire = retire;
  }

  get(): Promise<T> {
    const given = this.#made ?? this.#remake();
    // Nothing else will retire a value that is made after `end`.
    if (this.#ended) this.drop();
    return given;
  }

  /** Drops the value, and every later value as soon as it is returned. */
  end(): void {
    this.#ended = true;
    this.drop();
  }

  /** Retires the value; the next caller makes a new one. */
  drop(): void {
    // A caller that just received the old value can start to use it before it is retired.
    this.#made?.then((made) => setImmediate(() => this.#retire(made))).catch(() => {});
    this.#made = undefined;
  }

  #remake(): Promise<T> {
    const made = this.#make();
    this.#made = made;
    // After a failure, the next caller tries again.
    made.catch(() => {
      if (this.#made === made) this.#made = undefined;
    });
    return made;
  }
}

interface KeptFor<T> {
  /** The value of `key`, made at most `keepMs` ago. Concurrent callers share one value. */
  get(key: string): Promise<T>;
  /** The next caller makes the value again. */
  drop(key: string): void;
}

/** Values that are made again after some time, and after a failure. */
export function keptFor<T>(
  keepMs: number,
  clock: Pick<Clock, 'now'>,
  make: (key: string) => Promise<T>,
): KeptFor<T> {
  const kept = new Map<string, { value: Promise<T>; untilAt: Millis }>();
  return {
    get(key) {
      const known = kept.get(key);
      if (known && clock.now() < known.untilAt) return known.value;
      const made = { value: make(key), untilAt: clock.now() + keepMs };
      kept.set(key, made);
      made.value.catch(() => {
        if (kept.get(key) === made) kept.delete(key);
      });
      return made.value;
    },
    drop: (key) => void kept.delete(key),
  };
}

/**
 * For each app, the spans that are known to have days without sums. Days get sums with the next publication of an import,
 * so it is forgotten after a while. That a span has all sums is not remembered: they may go.
 */
export const spansWithoutSums = (clock: Pick<Clock, 'now'>) =>
  keptFor(10 * MINUTE_MS, clock, async () => new Set<string>());
