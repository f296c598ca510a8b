import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { Clock } from '../../shared/runtime/clock.ts';
import { type ApiKeyRecord, DEFAULT_RATE_LIMIT } from './app-settings.ts';
import type { Apps } from './apps.ts';
import { RateLimiter } from './rate-limiter.ts';
import { RequestError } from './request-error.ts';

/**
 * Lets requests in, in two steps. `identify` throws 401 without a known key. `admit` counts the request of a key and
 * throws 429 past a limit, 403 for any app outside the key's scope, alike whether it exists or not; every answer of
 * an endpoint from there on says how much of the key's limit is left.
 */
export function gate(apps: Apps, clock: Pick<Clock, 'now'>) {
  const limiter = new RateLimiter();

  async function admit(c: Context, key: ApiKeyRecord, appId: string | undefined): Promise<void> {
    const inScope = appId !== undefined && key.apps.includes(appId);
    const limit = (inScope ? (await apps.settingsOf(appId))?.rateLimit : undefined) ?? DEFAULT_RATE_LIMIT;
    const allowance = limiter.admit(key.sha256, limit, clock.now());
    c.header('X-RateLimit-Limit', String(allowance.limit));
    c.header('X-RateLimit-Remaining', String(allowance.remaining));
    c.header('X-RateLimit-Reset', String(allowance.resetSeconds));
    if (!limit.enforce) c.header('X-RateLimit-Enforced', 'false');
    if (!allowance.allowed) {
      c.header('Retry-After', String(allowance.resetSeconds));
      throw new RequestError('RATE_LIMITED', `too many requests; try again in ${allowance.resetSeconds} s`);
    }
    if (appId !== undefined && !inScope)
      throw new RequestError('FORBIDDEN', 'this key may not read this app');
  }

  return { identify: (apiKey: string | undefined) => knownKey(apps, apiKey), admit };
}

async function knownKey(apps: Apps, apiKey: string | undefined): Promise<ApiKeyRecord> {
  if (!apiKey) throw new RequestError('MISSING_CREDENTIALS', 'an API key and an app id are needed');
  const key = await apps.keyOf(createHash('sha256').update(apiKey).digest('hex'));
  if (key === undefined) throw new RequestError('INVALID_CREDENTIALS', 'these credentials are not valid');
  return key;
}
