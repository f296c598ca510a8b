import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as z from 'zod';
import { type ApiKey, hashOf, type KeyStore, keyState } from '../../../shared/access/api-key.ts';
import type { RateLimit } from '../../../shared/access/app-settings.ts';
import { limitHeaders, type RateLimiter } from '../../../shared/access/rate-limit.ts';
import { loadStatus } from '../../../shared/responding/alert-status.ts';
import { loadPulse } from '../../../shared/responding/pulse.ts';
import { type LimitableStores, visibleTo } from '../../../shared/responding/visible-stores.ts';
import { InvalidRequestError, isExplained } from '../../../shared/runtime/errors.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { contentHash } from '../../../shared/text/content-hash.ts';
import { API_PATH, type Endpoint, type EndpointDeps } from './endpoint.ts';
import { ENDPOINTS } from './endpoints.ts';
import { metricsText } from './metrics.ts';
import { PROBLEMS, Problem } from './problem.ts';

export interface ApiDeps extends EndpointDeps, LimitableStores {
  /** The call budget of an app for each hour. */
  callsPerHour?: number;
  /** The tokens. */
  keys: Pick<KeyStore, 'find' | 'noteUse'>;
  limiter: RateLimiter;
  logger: Logger;
}

/** Of each token. */
export const TOKEN_LIMIT: RateLimit = { perSecond: 10, perHour: 3600, enforce: true };

const MAX_BYTES = 16 * 1024;

/**
 * The interface of alerts for programs. Only the token in `Authorization` counts, never a cookie, so that no web page can
 * ask it in the name of a visitor.
 */
export function alertsApi(deps: ApiDeps): Hono {
  const api = new Hono().basePath(API_PATH);
  const problemOf = (c: Context, { status, message: detail, headers }: Problem) => {
    const body = JSON.stringify({ type: 'about:blank', title: PROBLEMS[status], status, detail });
    return c.body(body, status, { ...headers, 'Content-Type': 'application/problem+json' });
  };
  api.onError((error, c) => {
    if (error instanceof Problem) return problemOf(c, error);
    if (error instanceof InvalidRequestError) return problemOf(c, new Problem(403, error.message));
    deps.logger.error('a request failed', { error, path: c.req.path });
    if (isExplained(error)) return problemOf(c, new Problem(503, error.message));
    return problemOf(c, new Problem(500, 'the error is in the log of the respond function'));
  });
  api.notFound((c) =>
    problemOf(c, new Problem(404, `no endpoint has this path; see ${API_PATH}/openapi.json`)),
  );
  api.use(
    bodyLimit({
      maxSize: MAX_BYTES,
      onError: (c) => problemOf(c, new Problem(413, `a body has at most ${MAX_BYTES} bytes`)),
    }),
  );
  // Public, as it has no data. Loaded late: few ask for it.
  api.get('/openapi.json', async (c) => c.json((await import('./openapi.ts')).openApi()));
  api.get('/metrics', async (c) => {
    const { alerts, callsPerHour, clock, runs, ...others } = seenBy(await authenticate(c, deps), deps);
    const now = clock.now();
    const [status, pending] = await Promise.all([
      loadStatus({ ...others, alerts }, now),
      alerts.loadPending(now),
    ]);
    const pulse = await loadPulse(status, runs, now);
    const text = metricsText({ status, pulse, due: pending.length, callsPerHour });
    return c.body(text, 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });
  });
  for (const endpoint of ENDPOINTS)
    api.on(endpoint.method.toUpperCase(), pathOf(endpoint), async (c) => {
      const key = await authenticate(c, deps);
      if (endpoint.method !== 'get' && key.scope !== 'answer')
        throw new Problem(403, 'this token may only read; create one with --alerts answer');
      const answer = await endpoint.run(await askedBy(c, endpoint, key), seenBy(key, deps));
      return endpoint.method === 'get' ? tagged(c, answer) : c.json(answer);
    });
  for (const [path, same] of Map.groupBy(ENDPOINTS, pathOf))
    api.all(path, () => {
      const allowed = same.map(({ method }) => (method === 'get' ? 'GET, HEAD' : method.toUpperCase()));
      throw new Problem(405, `use ${allowed.join(', ')}`, { Allow: allowed.join(', ') });
    });
  return api;
}

/** A token without apps is for all. */
const seenBy = ({ apps }: ApiKey, deps: ApiDeps): ApiDeps =>
  visibleTo(apps.length > 0 ? new Set(apps) : undefined, deps);

const pathOf = ({ path }: Pick<Endpoint, 'path'>): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

async function askedBy(
  c: Context,
  { query, body }: Endpoint,
  { id: keyId, name = `token ${keyId}` }: ApiKey,
) {
  const noJson = () => {
    throw new Problem(400, 'the body is not JSON');
  };
  const lists = Object.entries(query.shape).filter(
    ([, schema]) => (schema instanceof z.ZodDefault ? schema.unwrap() : schema) instanceof z.ZodArray,
  );
  const repeated = lists.map(([name]) => [name, c.req.queries(name) ?? []]);
  const once = c.req.header('Idempotency-Key')?.slice(0, 200);
  return {
    ...{
      query: { ...c.req.query(), ...Object.fromEntries(repeated) },
      id: c.req.param('id') ?? '',
      by: name,
    },
    body: body && ((await c.req.json().catch(noJson)) as unknown),
    once: once && `${keyId}/${once}`,
  };
}

/** The answer, or 304 if the caller has it. */
function tagged(c: Context, answer: unknown): Response {
  const tag = `"${contentHash(answer)}"`;
  const known = c.req.header('If-None-Match')?.match(/"[^"]*"/g);
  c.header('ETag', tag);
  return known?.includes(tag) ? c.body(null, 304) : c.json(answer);
}

/** The token of the request. Counts the request against its limit. */
async function authenticate(c: Context, { keys, limiter, clock, logger }: ApiDeps): Promise<ApiKey> {
  const refused = (detail: string, header: string) =>
    new Problem(401, detail, { 'WWW-Authenticate': header });
  const [, text] = /^Bearer +([\w.~+/=-]+)$/i.exec(c.req.header('Authorization') ?? '') ?? [];
  if (text === undefined) throw refused('the token is missing; send Authorization: Bearer <token>', 'Bearer');
  const now = clock.now();
  const key = await keys.find(hashOf(text));
  // A key of the data access service has no scope.
  if (key?.scope === undefined || keyState(key, now) !== 'good')
    throw refused('the token is unknown, expired or revoked', 'Bearer error="invalid_token"');
  const allowance = await limiter.admit({ keyId: key.id }, TOKEN_LIMIT, now);
  for (const [name, value] of Object.entries(limitHeaders(allowance))) c.header(name, value);
  const after = { 'Retry-After': String(allowance.resetSeconds) };
  if (!allowance.allowed) throw new Problem(429, 'too many requests of this token; see Retry-After', after);
  await keys.noteUse(key, now).catch((error: unknown) => {
    logger.warn('the last use of a key could not be saved', { keyId: key.id, error });
  });
  return key;
}
