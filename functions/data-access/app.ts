import { randomBytes, randomUUID } from 'node:crypto';
import { Hono, type MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { etag, RETAINED_304_HEADERS } from 'hono/etag';
import type { KeyStore } from '../../shared/access/api-key.ts';
import type { RateLimiter } from '../../shared/access/rate-limit.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { redacted } from '../../shared/runtime/redaction.ts';
import type { Apps } from './apps/apps.ts';
import { ENDPOINTS } from './endpoints/endpoints.ts';
import { requestHandler } from './endpoints/request-handler.ts';
import {
  type Answered,
  HEALTH_PATH,
  observeRequests,
  type RequestContext,
  type ServiceEnv,
} from './requests/access-log.ts';
import { inMemoryRateLimiter } from './requests/in-memory-rate-limiter.ts';
import { type RefusedKeys, refusedKeys } from './requests/refused-keys.ts';
import { RequestError, requestErrorFrom } from './requests/request-error.ts';

/** Enough for a filter with a long list. Most gateways accept a third of it at most. */
const MAX_URL_LENGTH = 32 * 1024;

export interface DataAccessOptions {
  readonly keys: Pick<KeyStore, 'find' | 'noteUse'>;
  readonly apps: Apps;
  /** If omitted, counts in this process only. */
  readonly limiter?: RateLimiter;
  /** Of this process by default. An app for a single request needs one that outlives it. */
  readonly refused?: RefusedKeys;
  /** Uploads after its current time are not visible. Also used for expiry of keys and for rate limits. */
  readonly clock: Pick<Clock, 'now'>;
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
  /** Signs cursors. Processes behind one address must share it. Random if omitted. */
  readonly cursorSecret?: string;
  /** Origins whose pages may read responses in a browser, such as `https://example.com`; none if omitted. */
  readonly corsOrigins?: readonly string[];
  /** Maximum size of a response as a string within JSON, as Lambda returns it. No limit if omitted. */
  readonly maxAnswerBytes?: number;
  /** Called after each request. */
  readonly onAnswered?: (request: Answered) => void;
  /** Why the service is unavailable, if it is; returned by `GET /health`. */
  readonly problem?: () => Promise<string | undefined>;
}

// With "=", because ids of API Gateway end with it.
const REQUEST_ID = /^[\w=-]{1,64}$/;

/** Uses the request id that the caller sent, unless it could be a key. */
const assignRequestId: MiddlewareHandler<ServiceEnv> = async (c, next) => {
  const given = c.req.header('X-Request-Id') ?? '';
  const isValid = REQUEST_ID.test(given) && redacted('id', given) === given;
  c.set('requestId', isValid ? given : randomUUID());
  c.header('X-Request-Id', c.get('requestId'));
  await next();
};

export type DataAccessApp = Hono<ServiceEnv>;

/** The data access service: its endpoints, documentation and health check. */
export function createDataAccessApp(options: DataAccessOptions): DataAccessApp {
  const { clock, logger, corsOrigins = [], cursorSecret = randomBytes(32).toString('hex') } = options;
  const hono = new Hono<ServiceEnv>();
  hono.use(assignRequestId);
  hono.use(observeRequests(clock, options.onAnswered ?? (() => {})));
  if (corsOrigins.length > 0) hono.use(allowOrigins(corsOrigins));
  hono.use(async (c, next) => {
    c.header('Cache-Control', 'no-store');
    if (c.req.url.length > MAX_URL_LENGTH)
      throw new RequestError('PAYLOAD_TOO_LARGE', `the URL is longer than ${MAX_URL_LENGTH} characters`);
    await next();
  });

  // Only GET has 304. The tag is a hash of the answer: late uploads can change any window, so only bytes can be saved.
  hono.use('/v2/*', etag({ retainedHeaders: [...RETAINED_304_HEADERS, ...EXPOSED, ...CORS_HEADERS] }));
  const limiter = options.limiter ?? inMemoryRateLimiter();
  const refused = options.refused ?? refusedKeys(logger);
  const answer = requestHandler({ ...options, limiter, refused, cursorSecret });
  for (const endpoint of ENDPOINTS) {
    const method = endpoint.style === 'legacy' ? 'GET' : 'POST';
    route(hono, method, endpoint.path, (c) => answer(c, endpoint));
  }
  // Public, because it contains no data of any app and is read before a caller has a key. Loaded late: few ask for it.
  route(hono, 'GET', '/openapi.json', async (c) =>
    c.json((await import('./documentation/openapi.ts')).openApi()),
  );
  route(hono, 'GET', '/docs', async (c) => {
    const { DOCS_HEADERS, docsPage } = await import('./documentation/page.ts');
    return c.html(docsPage(new URL(c.req.url).origin), 200, DOCS_HEADERS);
  });
  // Runs no query, because load balancers call this every few seconds.
  route(hono, 'GET', HEALTH_PATH, async (c) => {
    const problem = await options.problem?.();
    return problem === undefined ? c.json({ status: 'ok' }) : c.json({ status: 'unavailable', problem }, 503);
  });

  const errorResponse = (c: RequestContext, error: Error) => {
    const returned = requestErrorFrom(error);
    // A caller who disconnected gets no error, and nothing failed.
    const isConnected = !c.get('signal').aborted;
    if (isConnected) c.get('findings').code = returned.code;
    const { retryAfterSeconds } = returned;
    if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds));
    // Only the path, because a legacy query contains the key.
    if (returned.status >= 500 && isConnected)
      logger?.error('request failed', {
        requestId: c.get('requestId'),
        path: c.req.path,
        // A RequestError is intended, so its stack is noise.
        error: error instanceof RequestError ? error.message : error,
      });
    return c.json(returned.body(), returned.status);
  };
  hono.notFound((c) =>
    errorResponse(c, new RequestError('NOT_FOUND', 'unknown endpoint; /docs lists all endpoints')),
  );
  hono.onError((error, c) => errorResponse(c, error));
  return hono;
}

function route(
  hono: Hono<ServiceEnv>,
  method: 'GET' | 'POST',
  path: string,
  handle: (c: RequestContext) => Promise<Response>,
): void {
  const allowed = method === 'GET' ? 'GET, HEAD' : 'POST';
  hono.on(method, path, handle);
  hono.all(path, (c) => {
    c.header('Allow', allowed);
    throw new RequestError('METHOD_NOT_ALLOWED', `method not allowed; use ${allowed.replace(', ', ' or ')}`);
  });
}

const EXPOSED = [
  ...['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  ...['Retry-After', 'ETag', 'X-Pagination'],
];
const CORS_HEADERS = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'];

/**
 * Allows pages of these origins to read responses in a browser. There is no `*`, because a page needs an API key.
 * @throws ConfigError for a text that is not an origin such as `https://example.com`.
 */
function allowOrigins(origins: readonly string[]) {
  const wrong = origins.find((text) => URL.parse(text)?.origin !== text);
  if (wrong !== undefined)
    throw new ConfigError(`"${wrong}" is not an origin; use the form https://example.com`);
  return cors({
    origin: [...origins],
    allowMethods: ['GET', 'HEAD', 'POST'],
    allowHeaders: ['Content-Type', 'If-None-Match', 'X-Api-Key', 'X-App-Id', 'X-Request-Id'],
    exposeHeaders: EXPOSED,
    maxAge: 600,
  });
}
