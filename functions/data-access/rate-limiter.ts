import type { Millis } from '../../shared/runtime/clock.ts';
import type { RateLimit } from './app-settings.ts';

/** Where a key stands after a request: against the limit it is closest to. Seconds are whole and rounded up. */
export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** Counts each key's requests of the last second and the last hour; refused ones do not count. */
export class RateLimiter {
  readonly #requests = new Map<string, Millis[]>();

  /** Admits a request of `key` at `now`, or says when to come back. */
  admit(key: string, limit: RateLimit, now: Millis): Allowance {
    if (!limit.enforce) {
      return { allowed: true, limit: limit.perHour, remaining: limit.perHour, resetSeconds: 0 };
    }
    const past = (this.#requests.get(key) ?? []).filter((at) => at > now - HOUR);
    const allowed = tightest(past, limit, now).remaining > 0;
    if (allowed) past.push(now);
    this.#requests.set(key, past);
    return { allowed, ...tightest(past, limit, now) };
  }
}

/** The limit with the fewest requests left; where both have none, the one that is longer in coming back. */
function tightest(past: readonly Millis[], { perSecond, perHour }: RateLimit, now: Millis) {
  const standing = (limit: number, length: Millis) => {
    const counted = past.filter((at) => at > now - length);
    // The oldest of the last `limit` requests is the one whose leaving makes room.
    const oldest = counted[Math.max(0, counted.length - limit)] ?? now;
    const resetSeconds = Math.ceil((oldest + length - now) / SECOND);
    return { limit, remaining: Math.max(0, limit - counted.length), resetSeconds };
  };
  const [second, hour] = [standing(perSecond, SECOND), standing(perHour, HOUR)];
  return second.remaining < hour.remaining ? second : hour;
}
