import {
  allowanceOf,
  isWithin,
  type RateLimiter,
  type Taken,
  windowStart,
} from '../../../shared/access/rate-limit.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { HOUR_MS, SECOND_MS } from '../../../shared/units/durations.ts';

interface Count {
  readonly at: Millis;
  readonly taken: Taken;
}

/** Of many more, the one that asked longest ago starts again, so that the memory is bounded. */
const MAX_COUNTS = 10_000;

/** Counts in this process. */
export function inMemoryRateLimiter(): RateLimiter {
  const counts = new Map<string, Count>();
  return {
    async admit({ keyId, appId }, limit, now) {
      const name = JSON.stringify([keyId, appId]);
      const before = carriedOver(counts.get(name), now);
      const allowed = isWithin(before, limit);
      const taken = allowed ? { second: before.second + 1, hour: before.hour + 1 } : before;
      counts.delete(name);
      counts.set(name, { at: now, taken });
      const [longestAgo] = counts.keys();
      if (counts.size > MAX_COUNTS && longestAgo !== undefined) counts.delete(longestAgo);
      return allowanceOf(allowed, taken, limit, now);
    },
  };
}

/** What of an earlier count still holds in the windows of `now`. */
function carriedOver(count: Count | undefined, now: Millis): Taken {
  const inSame = (lengthMs: number) =>
    count !== undefined && windowStart(count.at, lengthMs) === windowStart(now, lengthMs);
  return {
    second: inSame(SECOND_MS) ? (count?.taken.second ?? 0) : 0,
    hour: inSame(HOUR_MS) ? (count?.taken.hour ?? 0) : 0,
  };
}
