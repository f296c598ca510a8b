import type { Millis } from '../runtime/clock.ts';
import type { RateLimit } from './app-settings.ts';

/** Where a key stands after a request: against the limit it is closest to. Seconds are whole and rounded up. */
export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Whose requests are counted together, against one limit: those of a key to one of its apps, or all its others. */
export interface Counted {
  readonly keyId: string;
  /** Never as a caller sent it: a new name each time would always find an empty count. */
  readonly appId?: string | undefined;
}

export interface RateLimiter {
  /**
   * Counts a request at `now` if it is within the limit, or says when to come back. What is refused does not count.
   * Never lets a request in that could not be counted.
   * @throws UpstreamError where the count is kept elsewhere and cannot be reached.
   */
  admit(counted: Counted, limit: RateLimit, now: Millis): Promise<Allowance>;
}

/** How many requests that are counted together were let in, in the second and the hour of the clock that `now` lies in. */
export interface Taken {
  readonly second: number;
  readonly hour: number;
}

export const SECOND_MS = 1000;
export const HOUR_MS = 3600 * SECOND_MS;

/**
 * Windows are those of the clock and not the last second or hour: one counter each is all there is to keep, and to
 * share between processes in one write. At a window's edge a key may have twice its limit within one window's length.
 */
export const windowStart = (at: Millis, lengthMs: number): Millis => at - (at % lengthMs);

/** What is said of a limit that is not enforced. */
export const unlimited = (limit: RateLimit): Allowance => ({
  allowed: true,
  limit: limit.perHour,
  remaining: limit.perHour,
  resetSeconds: 0,
});

export const isWithin = (taken: Taken, limit: RateLimit): boolean =>
  taken.second < limit.perSecond && taken.hour < limit.perHour;

/** Against the window with the fewest requests left; where both have as few, the one that is longer in coming back. */
export function allowanceOf(allowed: boolean, taken: Taken, limit: RateLimit, now: Millis): Allowance {
  const standing = (most: number, count: number, lengthMs: number) => ({
    limit: most,
    remaining: Math.max(0, most - count),
    resetSeconds: Math.ceil((windowStart(now, lengthMs) + lengthMs - now) / SECOND_MS),
  });
  const second = standing(limit.perSecond, taken.second, SECOND_MS);
  const hour = standing(limit.perHour, taken.hour, HOUR_MS);
  return { allowed, ...(second.remaining < hour.remaining ? second : hour) };
}
