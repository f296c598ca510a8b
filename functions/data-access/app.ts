import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { requestId } from 'hono/request-id';
import * as z from 'zod';
import {
  legacyAnalyticsSchema,
  legacyListSchema,
  userAnalyticsSchema,
  userListSchema,
} from '../../shared/analytics/requests.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { QueryLimitError, UpstreamError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { gate } from './admission.ts';
import type { Apps } from './apps.ts';
import { type Answer, analyzeLegacy, analyzeUsers, type Call, listEvents, listUsers } from './endpoints.ts';
import { eventAnalytics } from './queries/event-analytics.ts';
import { sessionAnalytics } from './queries/session-analytics.ts';
import { RequestError } from './request-error.ts';
import { fromQuery, parseRequest } from './requests.ts';

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

  const answer = async (appId: string, ask: (call: Call) => Promise<Answer>) => {
    const found = await apps.withApp(appId, (app) => ask({ app, now: clock.now(), cursorSecret }));
    if (found === undefined) throw new RequestError('UNAVAILABLE', 'there are no data of this app yet');
    return { success: true, ...found.answer };
  };

  const legacy = <S extends z.ZodType>(path: string, schema: S, ask: Ask<S>) => {
    hono.get(path, async (c) => {
      const query = c.req.queries();
      const [appId = '', apiKey = ''] = [query.appid?.[0], query.apikey?.[0]];
      await admit(c, await identify(appId && apiKey), appId);
      const request = parseRequest(schema, fromQuery(query));
      return c.json(await answer(appId, (call) => ask(request, call)));
    });
    hono.all(path, refuseMethod('GET, HEAD'));
  };

  const jsonBody = <S extends z.ZodType<{ app_id: string }>>(path: string, schema: S, ask: Ask<S>) => {
    hono.post(path, async (c) => {
      const key = await identify(c.req.header('X-Api-Key'));
      const body = await bodyOf(c);
      // The body names the app and with it the limit, so its own faults wait until the request is counted.
      await admit(c, key, appIdIn(body.json));
      if (body.fault) throw body.fault;
      const request = parseRequest(schema, body.json);
      return c.json(await answer(request.app_id, (call) => ask(request, call)));
    });
    hono.all(path, refuseMethod('POST'));
  };

  legacy('/v2/event', legacyListSchema('event'), listEvents);
  legacy('/v2/event/analytics', legacyAnalyticsSchema('event'), analyzeLegacy('event', eventAnalytics));
  legacy(
    '/v2/session/analytics',
    legacyAnalyticsSchema('session'),
    analyzeLegacy('session', sessionAnalytics),
  );
  jsonBody('/api/data-access/v1/user', userListSchema, listUsers);
  jsonBody('/api/data-access/v1/user/analytics', userAnalyticsSchema, analyzeUsers);

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

type Ask<S extends z.ZodType> = (request: z.output<S>, call: Call) => Promise<Answer>;

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
