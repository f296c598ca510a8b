import * as z from 'zod';
import type { AppRequest, Apps } from '../apps/apps.ts';
import { type AccessDeps, authenticate, authorize } from '../requests/access-control.ts';
import { brief, type RequestContext } from '../requests/access-log.ts';
import { bodyOf, fromQuery } from '../requests/parse-request.ts';
import { RequestError } from '../requests/request-error.ts';
import type { Endpoint } from './endpoints.ts';

export interface RequestHandlerDeps extends AccessDeps {
  readonly apps: Apps;
  readonly cursorSecret: string;
  readonly maxAnswerBytes?: number;
}

/** Handles a request in the style of its endpoint: parameters in the query or in a JSON body. */
export function requestHandler(
  deps: RequestHandlerDeps,
): (c: RequestContext, endpoint: Endpoint) => Promise<Response> {
  return async (c, endpoint) => {
    const query = new URL(c.req.url).searchParams;
    const isLegacy = endpoint.style === 'legacy';
    const inQuery = isLegacy ? c.req.header('X-App-Id') || query.get('appid') || undefined : undefined;
    const inHeader = c.req.header('X-Api-Key');
    const credentials = isLegacy ? inQuery && (inHeader || query.get('apikey')) : inHeader;
    const key = await authenticate(credentials, deps);
    const findings = c.get('findings');
    findings.keyId = key.id;
    // The body contains the app, which determines the limit. So the request counts first; then its body is checked.
    const body = isLegacy ? {} : await bodyOf(c);
    const appId = isLegacy ? inQuery : appIdIn(body.json);
    if (appId !== undefined) findings.appId = brief(appId);
    const { headers, error } = await authorize(key, appId, deps);
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    if (error ?? body.fault) throw error ?? body.fault;
    if (!isLegacy) rejectParameters(query);
    const read = endpoint.parse(isLegacy ? fromQuery(query) : body.json);
    return respond(c, read, { appId: appId ?? '', keyId: key.id }, deps);
  };
}

function rejectParameters(query: URLSearchParams): void {
  const [name] = query.keys();
  if (name === undefined) return;
  const message = 'query parameters are not accepted here; use the body';
  throw new RequestError('INVALID_REQUEST', message, [{ path: name.slice(0, 80), message }]);
}

type Read = ReturnType<Endpoint['parse']>;

async function respond(
  c: RequestContext,
  read: Read,
  request: AppRequest,
  deps: RequestHandlerDeps,
): Promise<Response> {
  const { apps, clock, cursorSecret } = deps;
  const findings = c.get('findings');
  const onScanned = (bytes: number) => {
    findings.bytesScanned = (findings.bytesScanned ?? 0) + bytes;
  };
  const now = clock.now();
  const call = { cursorSecret, signal: c.get('signal'), onScanned };
  const found = await apps.withApp(request, (app) => read({ app, now: app.asOf?.(now) ?? now, ...call }));
  if (found === undefined) throw new RequestError('UNAVAILABLE', 'this app has no data yet');
  const body = { success: true, ...found.answer };
  if (deps.maxAnswerBytes !== undefined) requireFit(body, deps.maxAnswerBytes);
  findings.rows = found.answer.data.length;
  return c.json(body);
}

function requireFit(body: object, maxBytes: number): void {
  // Lambda returns the body as a string within JSON, which escapes it once more.
  if (Buffer.byteLength(JSON.stringify(JSON.stringify(body))) <= maxBytes) return;
  const megabytes = (maxBytes / 1e6).toFixed(1);
  const message = `the response is larger than ${megabytes} MB; use a smaller page_size, fewer groups or fewer sections`;
  throw new RequestError('INVALID_REQUEST', message);
}

/** The app of a body, even if the rest of the body is invalid. */
function appIdIn(body: unknown): string | undefined {
  const named = z.object({ app_id: z.string() }).safeParse(body);
  return named.success ? named.data.app_id : undefined;
}
