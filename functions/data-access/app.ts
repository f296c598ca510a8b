import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { requestId } from 'hono/request-id';
import * as z from 'zod';
import type { Clock } from '../../shared/runtime/clock.ts';
import { QueryLimitError, UpstreamError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { gate } from './admission.ts';
import type { Apps } from './apps.ts';
import { ENDPOINTS, type Endpoint } from './endpoints.ts';
import { RequestError } from './request-error.ts';
import { fromQuery } from './requests.ts';

const MAX_BODY_BYTES = 256 * 1024;

export interface DataAccessOptions {
  readonly apps: Apps;
  /** What is uploaded after its now is not shown; limits are counted by it too. */
  readonly clock: Pick<Clock, 'now'>;
  readonly logger?: Pick<Logger, 'error'>;
  /** Signs cursors. Those of another secret are refused, so processes that share callers share it. */
  readonly cursorSecret?: string;
}

/** The data access service: the contract's endpoints over the apps that it is given. */
export function createDataAccessApp(options: DataAccessOptions): Hono {
  const { apps, clock, logger, cursorSecret = randomBytes(32).toString('hex') } = options;
  const { identify, admit } = gate(apps, clock);
  const hono = new Hono();
  hono.use(requestId());
  hono.use(async (c, next) => {
    c.header('Cache-Control', 'no-store');
    await next();
  });

  const answer = async (c: Context, endpoint: Endpoint, appId: string, request: unknown) => {
    const read = endpoint.understand(request);
    const { signal } = c.req.raw;
    const found = await apps.withApp(appId, (app) =>
      read({ app, now: clock.now(), cursorSecret, signal, onScanned: () => {} }),
    );
    if (found === undefined) throw new RequestError('UNAVAILABLE', 'there are no data of this app yet');
    return { success: true, ...found.answer };
  };

  const legacy = (endpoint: Endpoint) => {
    hono.get(endpoint.path, async (c) => {
      const query = c.req.queries();
      const [appId = '', apiKey = ''] = [query.appid?.[0], query.apikey?.[0]];
      await admit(c, await identify(appId && apiKey), appId);
      return c.json(await answer(c, endpoint, appId, fromQuery(query)));
    });
    hono.all(endpoint.path, refuseMethod('GET, HEAD'));
  };

  const jsonBody = (endpoint: Endpoint) => {
    hono.post(endpoint.path, async (c) => {
      const key = await identify(c.req.header('X-Api-Key'));
      const body = await bodyOf(c);
      // The body names the app and with it the limit, so its own faults wait until the request is counted.
      const appId = appIdIn(body.json);
      await admit(c, key, appId);
      if (body.fault) throw body.fault;
      return c.json(await answer(c, endpoint, appId ?? '', body.json));
    });
    hono.all(endpoint.path, refuseMethod('POST'));
  };

  for (const endpoint of ENDPOINTS) (endpoint.style === 'legacy' ? legacy : jsonBody)(endpoint);

  hono.notFound((c) => c.json(new RequestError('NOT_FOUND', 'there is no such endpoint').body(), 404));
  hono.onError((error, c) => {
    const refusal = refusalOf(error);
    if (refusal.status >= 500) {
      // The path only: a legacy query carries the key.
      logger?.error('request failed', { requestId: c.get('requestId'), path: c.req.path, error });
    }
    return c.json(refusal.body(), refusal.status);
  });
  return hono;
}

/** What the caller is told of a failure; only what was thrown for them to read is passed on. */
function refusalOf(error: Error): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof QueryLimitError) {
    return new RequestError(
      'QUERY_TIMEOUT',
      'the query took too much time or memory; narrow the window or group less',
    );
  }
  if (error instanceof UpstreamError && error.retryable) {
    return new RequestError('UNAVAILABLE', 'the data cannot be read now; try again later');
  }
  return new RequestError('INTERNAL', 'the service failed; its operators can find out why by the request id');
}

const refuseMethod = (allowed: string) => (c: Context) => {
  c.header('Allow', allowed);
  throw new RequestError('METHOD_NOT_ALLOWED', `use ${allowed}`);
};

const limitBody = bodyLimit({
  maxSize: MAX_BODY_BYTES,
  onError: () => {
    throw new RequestError('PAYLOAD_TOO_LARGE', `the body is over ${MAX_BODY_BYTES} bytes`);
  },
});

/** The JSON of a body, or what is wrong with it. */
async function bodyOf(c: Context): Promise<{ json?: unknown; fault?: RequestError }> {
  try {
    return { json: await jsonOf(c) };
  } catch (error) {
    if (error instanceof RequestError) return { fault: error };
    throw error;
  }
}

async function jsonOf(c: Context): Promise<unknown> {
  await limitBody(c, async () => {});
  const mediaType = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new RequestError('UNSUPPORTED_MEDIA_TYPE', 'send Content-Type: application/json');
  }
  const text = await c.req.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestError('INVALID_REQUEST', 'the body is not JSON');
  }
}

/** The app that a body names, so that its limits count for what is wrong with the rest of the body. */
function appIdIn(body: unknown): string | undefined {
  const named = z.object({ app_id: z.string() }).safeParse(body);
  return named.success ? named.data.app_id : undefined;
}
