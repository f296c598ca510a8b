import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import type { Clock } from '../../shared/runtime/clock.ts';
import { type ApiKeyRecord, DEFAULT_RATE_LIMIT } from './app-settings.ts';
import type { Apps } from './apps.ts';
import { RateLimiter } from './rate-limiter.ts';
import { RequestError } from './request-error.ts';

/** The two halves of a caller's credentials, wherever the request carried them. */
export interface Credentials {
  readonly apiKey: string | undefined;
  readonly appId: string | undefined;
}

/**
 * Lets a request in or throws: 401 without a known key, 429 past a limit, 403 for any app outside the key's scope,
 * alike whether it exists or not. Every answer to a known key says how much of its limit is left.
 */
export function gate(apps: Apps, clock: Pick<Clock, 'now'>) {
  const limiter = new RateLimiter();
  return async (c: Context, { apiKey, appId }: Credentials): Promise<void> => {
    const key = await knownKey(apps, apiKey);
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
  };
}

async function knownKey(apps: Apps, apiKey: string | undefined): Promise<ApiKeyRecord> {
  if (!apiKey) throw new RequestError('MISSING_CREDENTIALS', 'an API key and an app id are needed');
  const key = await apps.keyOf(createHash('sha256').update(apiKey).digest('hex'));
  if (key === undefined) throw new RequestError('INVALID_CREDENTIALS', 'these credentials are not valid');
  return key;
}
