import { randomBytes, randomUUID } from 'node:crypto';
import { Hono, type MiddlewareHandler } from 'hono';
import type { KeyStore } from '../../shared/access/api-key.ts';
import type { RateLimiter } from '../../shared/access/rate-limit.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { redacted } from '../../shared/runtime/redaction.ts';
import type { Apps } from './apps/apps.ts';
import { openApi } from './documentation/openapi.ts';
import { DOCS_HEADERS, docsPage } from './documentation/page.ts';
import { ENDPOINTS } from './endpoints/endpoints.ts';
import { answerer } from './endpoints/request-handler.ts';
import {
  type Answered,
  HEALTH_PATH,
  observeRequests,
  type RequestContext,
  type Requested,
} from './requests/access-log.ts';
import { allowOrigins } from './requests/cors.ts';
import { inMemoryRateLimiter } from './requests/in-memory-rate-limiter.ts';
import { RequestError, refusalOf } from './requests/request-error.ts';

/** A filter with a long list fits in; most gateways pass on no more than a third of it. */
const MAX_URL_LETTERS = 32 * 1024;

export interface DataAccessOptions {
  readonly keys: Pick<KeyStore, 'find' | 'noteUse'>;
  readonly apps: Apps;
  /** Counts in this process only if left out. */
  readonly limiter?: RateLimiter;
  /** What is uploaded after its now is not shown; keys expire and limits are counted by it too. */
  readonly clock: Pick<Clock, 'now'>;
  readonly logger?: Pick<Logger, 'warn' | 'error'>;
  /** Signs cursors. Those of another secret are refused, so processes that share callers share it. */
  readonly cursorSecret?: string;
  /** Whose pages may read answers in a browser, as `https://example.com`; none if left out. */
  readonly corsOrigins?: readonly string[];
  /** Of an answer as text within JSON, which is how Lambda hands it on; a larger one is refused. No limit if left out. */
  readonly maxAnswerBytes?: number;
  /** Told of every request once it is answered. */
  readonly onAnswered?: (request: Answered) => void;
  /** Why nobody can be answered now, if so; `GET /health` says it. */
  readonly problem?: () => Promise<string | undefined>;
}

// With a "=", for API Gateway ends its names with one.
const REQUEST_ID = /^[\w=-]{1,64}$/;

/** Takes over the name that a caller gave a request, unless it might be a key. */
const nameRequests: MiddlewareHandler<Requested> = async (c, next) => {
  const given = c.req.header('X-Request-Id') ?? '';
  const isGood = REQUEST_ID.test(given) && redacted('id', given) === given;
  c.set('requestId', isGood ? given : randomUUID());
  c.header('X-Request-Id', c.get('requestId'));
  await next();
};

export type DataAccessApp = Hono<Requested>;

/** The data access service: the contract's endpoints over the apps that it is given. */
export function createDataAccessApp(options: DataAccessOptions): DataAccessApp {
  const { clock, logger, cursorSecret = randomBytes(32).toString('hex') } = options;
  const hono = new Hono<Requested>();
  hono.use(nameRequests);
  hono.use(observeRequests(clock, options.onAnswered ?? (() => {})));
  hono.use(allowOrigins(options.corsOrigins ?? []));
  hono.use(async (c, next) => {
    c.header('Cache-Control', 'no-store');
    if (c.req.url.length > MAX_URL_LETTERS)
      throw new RequestError('PAYLOAD_TOO_LARGE', `the URL is over ${MAX_URL_LETTERS} letters`);
    await next();
  });

  const limiter = options.limiter ?? inMemoryRateLimiter();
  const answer = answerer({ ...options, limiter, cursorSecret });
  for (const endpoint of ENDPOINTS) {
    const method = endpoint.style === 'legacy' ? 'GET' : 'POST';
    route(hono, method, endpoint.path, (c) => answer(c, endpoint));
  }
  // The same for everybody, and of no app: it is read before there is a key.
  route(hono, 'GET', '/openapi.json', async (c) => c.json(openApi()));
  route(hono, 'GET', '/docs', async (c) =>
    c.html(docsPage(openApi(), new URL(c.req.url).origin), 200, DOCS_HEADERS),
  );
  // That this process is up and could answer somebody. No query is made: load balancers ask every few seconds.
  route(hono, 'GET', HEALTH_PATH, async (c) => {
    const problem = await options.problem?.();
    return problem === undefined ? c.json({ status: 'ok' }) : c.json({ status: 'unavailable', problem }, 503);
  });

  const refuse = (c: RequestContext, error: Error) => {
    const refusal = refusalOf(error);
    // Whoever hung up was refused nothing, and nothing failed.
    const isHeard = !c.get('signal').aborted;
    if (isHeard) c.get('findings').code = refusal.code;
    if (refusal.code === 'RATE_LIMITED' && !c.res.headers.has('Retry-After')) c.header('Retry-After', '1');
    // The path only: a legacy query carries the key.
    if (refusal.status >= 500 && isHeard)
      logger?.error('request failed', {
        requestId: c.get('requestId'),
        path: c.req.path,
        // An answer that was meant needs no stack.
        error: error instanceof RequestError ? error.message : error,
      });
    return c.json(refusal.body(), refusal.status);
  };
  hono.notFound((c) =>
    refuse(c, new RequestError('NOT_FOUND', 'there is no such endpoint; /docs lists those there are')),
  );
  hono.onError((error, c) => refuse(c, error));
  return hono;
}

function route(
  hono: Hono<Requested>,
  method: 'GET' | 'POST',
  path: string,
  handle: (c: RequestContext) => Promise<Response>,
): void {
  const allowed = method === 'GET' ? 'GET, HEAD' : 'POST';
  hono.on(method, path, handle);
  hono.options(path, (c) => c.body(null, 204, { Allow: allowed }));
  hono.all(path, (c) => {
    c.header('Allow', allowed);
    throw new RequestError('METHOD_NOT_ALLOWED', `use ${allowed.replace(', ', ' or ')}`);
  });
}
