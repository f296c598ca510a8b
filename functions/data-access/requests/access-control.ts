import { type ApiKey, hashOf, type KeyStore, standingOf } from '../../../shared/access/api-key.ts';
import { type AppSettings, DEFAULT_RATE_LIMIT } from '../../../shared/access/app-settings.ts';
import { type Allowance, type RateLimiter, unlimited } from '../../../shared/access/rate-limit.ts';
import type { Clock } from '../../../shared/runtime/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { RequestError } from './request-error.ts';

export interface AdmissionDeps {
  readonly keys: Pick<KeyStore, 'find' | 'noteUse'>;
  readonly apps: { settingsOf(appId: string): Promise<AppSettings | undefined> };
  readonly limiter: RateLimiter;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
}

/** What a request of a known key is told, let in or not. */
export interface Admission {
  /** For every answer from here on. */
  readonly headers: Readonly<Record<string, string>>;
  /** 429 past the limit; 403 for any app outside the key's scope, alike whether it exists or not; else why not now. */
  readonly refusal?: Error | undefined;
}

/**
 * The key of these credentials; noted as used.
 *
 * Whoever has no good key is not counted: nothing of theirs but the credentials is looked at, keys are too long to be
 * guessed, and an address is no caller. How many of them come at all is for the gateway in front to limit.
 *
 * @throws RequestError 401, the same for keys that are unknown, expired or revoked.
 */
export async function identify(credentials: string | undefined, deps: AdmissionDeps): Promise<ApiKey> {
  if (!credentials)
    throw new RequestError(
      'MISSING_CREDENTIALS',
      'send the key as the header X-Api-Key or apikey, or to /v2 as the query parameter apikey; name the app as app_id in the body, or to /v2 as the header X-App-Id or the query parameter appid',
    );
  const { keys, clock, logger } = deps;
  const now = clock.now();
  const key = await keys.find(hashOf(credentials));
  if (key === undefined || standingOf(key, now) !== 'good')
    throw new RequestError('INVALID_CREDENTIALS', 'these credentials are not valid');
  // Of less weight than an answer: a directory may be there for reading only.
  await keys.noteUse(key, now).catch((error: unknown) => {
    logger?.warn('the use of a key could not be noted', { keyId: key.id, error });
  });
  return key;
}

/**
 * Counts a request of `key` against the limit of the app it names, if that is in the key's scope; all others of the key
 * together against the default. So is a request counted whose app's settings cannot be read, and refused after that.
 */
export async function admit(
  key: ApiKey,
  appId: string | undefined,
  { apps, limiter, clock }: AdmissionDeps,
): Promise<Admission> {
  const inScope = appId !== undefined && key.apps.includes(appId);
  const [settings] = await Promise.allSettled([inScope ? apps.settingsOf(appId) : undefined]);
  const limit = (settings.status === 'fulfilled' && settings.value?.rateLimit) || DEFAULT_RATE_LIMIT;
  const counted = { keyId: key.id, appId: inScope ? appId : undefined };
  const allowance = limit.enforce ? await limiter.admit(counted, limit, clock.now()) : unlimited(limit);
  const headers = headersOf(allowance, limit.enforce);
  if (!allowance.allowed) {
    const message = `too many requests; try again in ${allowance.resetSeconds} s`;
    return { headers, refusal: new RequestError('RATE_LIMITED', message) };
  }
  if (settings.status === 'rejected') return { headers, refusal: settings.reason };
  const foreign = appId !== undefined && !inScope;
  return {
    headers,
    refusal: foreign ? new RequestError('FORBIDDEN', 'this key may not read this app') : undefined,
  };
}

const headersOf = ({ allowed, limit, remaining, resetSeconds }: Allowance, enforced: boolean) => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(resetSeconds),
  ...(!enforced && { 'X-RateLimit-Enforced': 'false' }),
  ...(!allowed && { 'Retry-After': String(resetSeconds) }),
});
