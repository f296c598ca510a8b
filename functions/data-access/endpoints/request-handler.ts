import { accepts } from 'hono/accepts';
import * as z from 'zod';
import { csvOf } from '../answers/csv.ts';
import type { Call } from '../answers/read-context.ts';
import type { AppRequest, Apps } from '../apps/apps.ts';
import { type AccessDeps, authenticate, authorize } from '../requests/access-control.ts';
import { addressOf, brief, type RequestContext } from '../requests/access-log.ts';
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
  const catalogues: Call['catalogues'] = new Map();
  return async (c, endpoint) => {
    const query = new URL(c.req.url).searchParams;
    const isLegacy = endpoint.style === 'legacy';
    const credentials = c.req.header('X-Api-Key') || (isLegacy ? query.get('apikey') : undefined);
    const key = await authenticate(credentials, addressOf(c.env), deps);
    const findings = c.get('findings');
    findings.keyId = key.id;
    const body = isLegacy ? {} : await bodyOf(c);
    const appId = isLegacy ? c.req.header('X-App-Id') || query.get('appid') : appIdIn(body.json);
    // The app determines the limit, so a request without one does not count.
    if (!appId) throw body.fault ?? withoutApp(isLegacy);
    findings.appId = brief(appId);
    const { headers, error } = await authorize(key, appId, deps);
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    if (error) throw error;
    if (!isLegacy) rejectParameters(query);
    const read = endpoint.parse(isLegacy ? fromQuery(query) : body.json);
    const response = await respond(c, read, { appId, keyId: key.id }, { ...deps, catalogues });
    // Records of people stay out of caches. Figures may be kept, if each use asks whether they are still the same.
    if (isLegacy && endpoint.read !== 'list') c.header('Cache-Control', 'private, no-cache');
    return response;
  };
}

function withoutApp(isLegacy: boolean): RequestError {
  const path = isLegacy ? 'appid' : 'app_id';
  const message = `missing; send the id of the app ${isLegacy ? 'as appid or in the header X-App-Id' : 'as text in the body'}`;
  return new RequestError('INVALID_REQUEST', `${path}: ${message}`, [{ path, message }]);
}

function rejectParameters(query: URLSearchParams): void {
  const [name] = query.keys();
  if (name === undefined) return;
  const message = 'query parameters are not accepted here; use the body';
  throw new RequestError('INVALID_REQUEST', message, [{ path: name.slice(0, 80), message }]);
}

const JSON_TYPE = 'application/json';
const CSV_TYPE = 'text/csv';

type Read = ReturnType<Endpoint['parse']>;

async function respond(
  c: RequestContext,
  read: Read,
  request: AppRequest,
  deps: RequestHandlerDeps & Pick<Call, 'catalogues'>,
): Promise<Response> {
  const { apps, clock, cursorSecret, catalogues } = deps;
  const findings = c.get('findings');
  const onScanned = (bytes: number) => {
    findings.bytesScanned = (findings.bytesScanned ?? 0) + bytes;
  };
  const now = clock.now();
  const call = { cursorSecret, signal: c.get('signal'), onScanned, catalogues };
  const found = await apps.withApp(request, (app) => read({ app, now: app.asOf?.(now) ?? now, ...call }));
  if (found === undefined) throw new RequestError('UNAVAILABLE', 'this app has no data yet');
  const { data, pagination } = found.answer;
  const type = accepts(c, { header: 'Accept', supports: [JSON_TYPE, CSV_TYPE], default: JSON_TYPE });
  const body = type === CSV_TYPE ? csvOf(data) : JSON.stringify({ success: true, data, pagination });
  if (deps.maxAnswerBytes !== undefined) requireFit(body, deps.maxAnswerBytes);
  findings.rows = data.length;
  c.header('Vary', 'Accept', { append: true });
  if (type === CSV_TYPE) c.header('X-Pagination', JSON.stringify(pagination));
  return c.body(body, 200, { 'Content-Type': type === CSV_TYPE ? `${type}; charset=utf-8` : type });
}

function requireFit(body: string, maxBytes: number): void {
  // Lambda returns the body as a string within JSON, which escapes it once more.
  if (Buffer.byteLength(JSON.stringify(body)) <= maxBytes) return;
  const megabytes = (maxBytes / 1e6).toFixed(1);
  const message = `the response is larger than ${megabytes} MB; use a smaller page_size, fewer groups or fewer sections`;
  throw new RequestError('INVALID_REQUEST', message);
}

/** The app of a body, even if the rest of the body is invalid. */
function appIdIn(body: unknown): string | undefined {
  const named = z.object({ app_id: z.string() }).safeParse(body);
  return named.success ? named.data.app_id : undefined;
}
