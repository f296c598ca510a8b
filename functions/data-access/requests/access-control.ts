import { type ApiKey, hashOf, type KeyStore, keyState } from '../../../shared/access/api-key.ts';
import { type AppSettings, DEFAULT_RATE_LIMIT } from '../../../shared/access/app-settings.ts';
import {
  type Allowance,
  limitHeaders,
  type RateLimiter,
  unlimited,
} from '../../../shared/access/rate-limit.ts';
import type { Clock } from '../../../shared/runtime/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { RefusedKeys } from './refused-keys.ts';
import { RequestError } from './request-error.ts';

export interface AccessDeps {
  readonly keys: Pick<KeyStore, 'find' | 'noteUse'>;
  readonly apps: { settingsOf(appId: string): Promise<AppSettings | undefined> };
  readonly limiter: RateLimiter;
  readonly refused: RefusedKeys;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
}

/** The result of a request with a known key. */
export interface Authorization {
  /** For the response, whether it is an error or not. */
  readonly headers: Readonly<Record<string, string>>;
  /** 429 above the limit; 403 for every app outside the key's scope, existing or not; or why settings cannot be read. */
  readonly error?: Error | undefined;
}

const NO_CREDENTIALS =
  'the API key is missing; send it in the header X-Api-Key (under /v2 also as the query parameter apikey)';

/**
 * Finds the key of a request and saves the time of its use.
 *
 * A good key is accepted from every address: callers behind one proxy share its address.
 *
 * @throws RequestError 401, with the same message for unknown, expired and revoked keys; 429 if the address sent many.
 */
export async function authenticate(
  credentials: string | null | undefined,
  address: string,
  deps: AccessDeps,
): Promise<ApiKey> {
  if (!credentials) throw new RequestError('MISSING_CREDENTIALS', NO_CREDENTIALS);
  const { keys, clock, logger } = deps;
  const now = clock.now();
  const key = await keys.find(hashOf(credentials));
  if (key === undefined || keyState(key, now) !== 'good') {
    const allowance = await deps.refused(address, now);
    if (!allowance.allowed) throw rateLimited('too many unknown API keys', allowance);
    throw new RequestError('INVALID_CREDENTIALS', 'the API key is unknown, expired or revoked');
  }
  // Not worth failing a request for: the directory can be read-only.
  await keys.noteUse(key, now).catch((error: unknown) => {
    logger?.warn('the last use of a key could not be saved', { keyId: key.id, error });
  });
  return key;
}

/**
 * Counts a request against the limit of its app, if the app is in the key's scope. Its requests to all other apps
 * count together, against the default. If the settings of the app cannot be read, the request counts too, and then fails.
 */
export async function authorize(
  key: ApiKey,
  appId: string,
  { apps, limiter, clock }: AccessDeps,
): Promise<Authorization> {
  const inScope = key.apps.includes(appId);
  const [settings] = await Promise.allSettled([inScope ? apps.settingsOf(appId) : undefined]);
  const limit = (settings.status === 'fulfilled' && settings.value?.rateLimit) || DEFAULT_RATE_LIMIT;
  const counted = { keyId: key.id, appId: inScope ? appId : undefined };
  const allowance = limit.enforce ? await limiter.admit(counted, limit, clock.now()) : unlimited(limit);
  const headers = headersOf(allowance, limit.enforce);
  if (!allowance.allowed) return { headers, error: rateLimited('rate limit exceeded', allowance) };
  if (settings.status === 'rejected') return { headers, error: settings.reason };
  return {
    headers,
    error: !inScope ? new RequestError('FORBIDDEN', 'this API key has no access to this app') : undefined,
  };
}

const rateLimited = (why: string, { resetSeconds: seconds }: Allowance) =>
  new RequestError('RATE_LIMITED', `${why}; retry in ${seconds} s`, [], seconds);

const headersOf = (allowance: Allowance, enforced: boolean) => ({
  ...limitHeaders(allowance),
  ...(!enforced && { 'X-RateLimit-Enforced': 'false' }),
});
