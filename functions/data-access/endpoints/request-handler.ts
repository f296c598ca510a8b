import * as z from 'zod';
import type { AppRequest, Apps } from '../apps/apps.ts';
import {
  type AccessDeps,
  appIn,
  authenticate,
  authorize,
  type Candidates,
  keyIn,
} from '../requests/access-control.ts';
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
  return (c, endpoint) => (endpoint.style === 'legacy' ? handleLegacy : handleBody)(c, endpoint, deps);
}

async function handleLegacy(
  c: RequestContext,
  endpoint: Endpoint,
  deps: RequestHandlerDeps,
): Promise<Response> {
  const query = new URL(c.req.url).searchParams;
  const apps: Candidates = [
    ['appid', query.get('appid')],
    ['X-App-Id', c.req.header('X-App-Id')],
  ];
  const key = keyIn([['the query parameter apikey', query.get('apikey')], ...headerKeys(c)]);
  const namesApp = apps.some(([, value]) => value);
  const { keyId, authorizeApp } = await authenticated(c, namesApp ? key : undefined, deps);
  const appId = (await appOf(apps, authorizeApp)) ?? '';
  return respond(c, endpoint.parse(fromQuery(query)), { appId, keyId }, deps);
}

async function handleBody(
  c: RequestContext,
  endpoint: Endpoint,
  deps: RequestHandlerDeps,
): Promise<Response> {
  const { keyId, authorizeApp } = await authenticated(c, keyIn(headerKeys(c)), deps);
  const body = await bodyOf(c);
  // The body contains the app, which determines the limit. So the request counts first; then its body is checked.
  const named = appIdIn(body.json);
  const inHeader = named === undefined ? undefined : c.req.header('X-App-Id');
  const appId = await appOf(
    [
      ['app_id', named],
      ['X-App-Id', inHeader],
    ],
    authorizeApp,
  );
  if (body.fault) throw body.fault;
  rejectParameters(c);
  return respond(c, endpoint.parse(body.json), { appId: appId ?? '', keyId }, deps);
}

const headerKeys = (c: RequestContext): Candidates => [
  ['the header X-Api-Key', c.req.header('X-Api-Key')],
  ['the header apikey', c.req.header('apikey')],
];

/** The app of a request, once authorized. A request with two apps counts like one without an app, and is rejected. */
async function appOf(
  apps: Candidates,
  authorizeApp: (appId?: string) => Promise<void>,
): Promise<string | undefined> {
  let appId: string | undefined;
  try {
    appId = appIn(apps);
  } catch (error) {
    await authorizeApp();
    throw error;
  }
  await authorizeApp(appId);
  return appId;
}

function rejectParameters(c: RequestContext): void {
  const [name] = new URL(c.req.url).searchParams.keys();
  if (name === undefined) return;
  const message = 'query parameters are not accepted here; use the body';
  throw new RequestError('INVALID_REQUEST', message, [{ path: name.slice(0, 80), message }]);
}

/** The key of the request, and the check to make when its app is known. */
async function authenticated(c: RequestContext, credentials: string | undefined, deps: RequestHandlerDeps) {
  const key = await authenticate(credentials, deps);
  const findings = c.get('findings');
  findings.keyId = key.id;
  const authorizeApp = async (appId?: string): Promise<void> => {
    if (appId !== undefined) findings.appId = brief(appId);
    const { headers, error } = await authorize(key, appId, deps);
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    if (error) throw error;
  };
  return { keyId: key.id, authorizeApp };
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
