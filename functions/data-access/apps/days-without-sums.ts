import type { Clock, Millis } from '../../../shared/runtime/clock.ts';
import type { DaysWithoutSums } from '../engines/engine.ts';

/** Days get sums with the next publication of an import, so rows answer for at most this time longer than needed. */
const KEEP_MS = 10 * 60_000;

/** Remembers for each app which spans have days without sums. That a span has all sums is not remembered: they may go. */
export function daysWithoutSums(clock: Pick<Clock, 'now'>): (appId: string) => DaysWithoutSums {
  const untilAt = new Map<string, Millis>();
  return (appId) => ({
    has: (span) => (untilAt.get(`${appId} ${span}`) ?? 0) > clock.now(),
    add(span) {
      for (const [key, at] of untilAt) if (at <= clock.now()) untilAt.delete(key);
      untilAt.set(`${appId} ${span}`, clock.now() + KEEP_MS);
    },
  });
}
