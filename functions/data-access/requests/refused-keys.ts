import { DEFAULT_RATE_LIMIT } from '../../../shared/access/app-settings.ts';
import type { Allowance } from '../../../shared/access/rate-limit.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { MINUTE_MS } from '../../../shared/units/durations.ts';
import { inMemoryRateLimiter } from './in-memory-rate-limiter.ts';

/** Counts a refused key of an address, with the limits of one key. */
export type RefusedKeys = (address: string, now: Millis) => Promise<Allowance>;

/** Counts in this process. Logs at most one address a minute. */
export function refusedKeys(logger?: Pick<Logger, 'warn'>): RefusedKeys {
  const limiter = inMemoryRateLimiter();
  let loggedAt = Number.NEGATIVE_INFINITY;
  return async (address, now) => {
    const allowance = await limiter.admit({ keyId: address }, DEFAULT_RATE_LIMIT, now);
    if (!allowance.allowed && now - loggedAt >= MINUTE_MS) {
      loggedAt = now;
      logger?.warn('many unknown API keys come from one address', { address });
    }
    return allowance;
  };
}
