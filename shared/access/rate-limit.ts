import type { Millis } from '../runtime/clock.ts';
import { HOUR_MS, SECOND_MS } from '../units/durations.ts';
import type { RateLimit } from './app-settings.ts';

/** The state of a key after a request, for the limit that it is closest to. Whole seconds, rounded up. */
export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** What is counted: the requests of an API key to one of its apps, or its requests that name none of them. */
export interface Counted {
  readonly keyId: string;
  /** Only an app of the key, never an unchecked name: with a new name each time, a caller would avoid the limit. */
  readonly appId?: string | undefined;
}

/** The headers that tell a caller about its limit. */
export const limitHeaders = ({ limit, remaining, resetSeconds }: Allowance) => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(resetSeconds),
});

export interface RateLimiter {
  /**
   * Counts a request at `now` if it is within the limit; otherwise says when to retry. Refused requests do not count. A
   * request that cannot be counted is never accepted.
   * @throws UpstreamError if the counter is remote and cannot be reached.
   */
  admit(counted: Counted, limit: RateLimit, now: Millis): Promise<Allowance>;
}

/** Accepted requests of one counter, in the clock second and the clock hour that contain `now`. */
export interface Taken {
  readonly second: number;
  readonly hour: number;
}

/**
 * Windows are fixed to the clock, not sliding: each needs only one counter, which processes share with one write.
 * Around the edge of a window a key may use twice its limit.
 */
export const windowStart = (at: Millis, lengthMs: number): Millis => at - (at % lengthMs);

/** The state of a limit that is not enforced. */
export const unlimited = (limit: RateLimit): Allowance => ({
  allowed: true,
  limit: limit.perHour,
  remaining: limit.perHour,
  resetSeconds: 0,
});

export const isWithin = (taken: Taken, limit: RateLimit): boolean =>
  taken.second < limit.perSecond && taken.hour < limit.perHour;

/** The window with the fewest requests left. On a tie, the one that resets later. */
export function allowanceOf(allowed: boolean, taken: Taken, limit: RateLimit, now: Millis): Allowance {
  const left = (most: number, count: number, lengthMs: number) => ({
    limit: most,
    remaining: Math.max(0, most - count),
    resetSeconds: Math.ceil((windowStart(now, lengthMs) + lengthMs - now) / SECOND_MS),
  });
  const second = left(limit.perSecond, taken.second, SECOND_MS);
  const hour = left(limit.perHour, taken.hour, HOUR_MS);
  return { allowed, ...(second.remaining < hour.remaining ? second : hour) };
}
