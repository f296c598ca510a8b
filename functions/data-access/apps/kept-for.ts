import type { Clock, Millis } from '../../../shared/runtime/clock.ts';

export interface KeptFor<T> {
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
