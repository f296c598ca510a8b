import * as z from 'zod';
import type { Apps, Asking } from '../apps/apps.ts';
import { type AdmissionDeps, admit, identify } from '../requests/access-control.ts';
import { brief, type RequestContext } from '../requests/access-log.ts';
import { appIn, type Carried, keyIn } from '../requests/credentials.ts';
import { fromQuery } from '../requests/parse-request.ts';
import { bodyOf } from '../requests/request-body.ts';
import { RequestError } from '../requests/request-error.ts';
import type { Endpoint } from './endpoints.ts';

export interface AnsweringDeps extends AdmissionDeps {
  readonly apps: Apps;
  readonly cursorSecret: string;
  readonly maxAnswerBytes?: number;
}

/** Answers a request in its style: parameters from the query or from a body, credentials also from headers. */
export function answerer(deps: AnsweringDeps): (c: RequestContext, endpoint: Endpoint) => Promise<Response> {
  return (c, endpoint) => (endpoint.style === 'legacy' ? answerLegacy : answerBody)(c, endpoint, deps);
}

async function answerLegacy(c: RequestContext, endpoint: Endpoint, deps: AnsweringDeps): Promise<Response> {
  const query = new URL(c.req.url).searchParams;
  const apps: Carried = [
    ['appid', query.get('appid')],
    ['X-App-Id', c.req.header('X-App-Id')],
  ];
  const key = keyIn([['the query parameter apikey', query.get('apikey')], ...headerKeys(c)]);
  const namesApp = apps.some(([, value]) => value);
  const { keyId, admitTo } = await identified(c, namesApp ? key : undefined, deps);
  const appId = (await appOf(apps, admitTo)) ?? '';
  return answer(c, endpoint.understand(fromQuery(query)), { appId, keyId }, deps);
}

async function answerBody(c: RequestContext, endpoint: Endpoint, deps: AnsweringDeps): Promise<Response> {
  const { keyId, admitTo } = await identified(c, keyIn(headerKeys(c)), deps);
  const body = await bodyOf(c);
  // The body names the app and with it the limit, so its own faults wait until the request is counted.
  const named = appIdIn(body.json);
  const inHeader = named === undefined ? undefined : c.req.header('X-App-Id');
  const appId = await appOf(
    [
      ['app_id', named],
      ['X-App-Id', inHeader],
    ],
    admitTo,
  );
  if (body.fault) throw body.fault;
  refuseParameters(c);
  return answer(c, endpoint.understand(body.json), { appId: appId ?? '', keyId }, deps);
}

const headerKeys = (c: RequestContext): Carried => [
  ['the header X-Api-Key', c.req.header('X-Api-Key')],
  ['the header apikey', c.req.header('apikey')],
];

/** The app of a request that is let in. One that names two is counted as one that names none, and then refused. */
async function appOf(apps: Carried, admitTo: (appId?: string) => Promise<void>): Promise<string | undefined> {
  let appId: string | undefined;
  try {
    appId = appIn(apps);
  } catch (error) {
    await admitTo();
    throw error;
  }
  await admitTo(appId);
  return appId;
}

function refuseParameters(c: RequestContext): void {
  const [name] = new URL(c.req.url).searchParams.keys();
  if (name === undefined) return;
  const message = 'no query parameter is taken here; send it in the body';
  throw new RequestError('INVALID_REQUEST', message, [{ path: name.slice(0, 80), message }]);
}

/** Whom the credentials belong to; then, once the app is known, whether they may come in. */
async function identified(c: RequestContext, credentials: string | undefined, deps: AnsweringDeps) {
  const key = await identify(credentials, deps);
  const findings = c.get('findings');
  findings.keyId = key.id;
  const admitTo = async (appId?: string): Promise<void> => {
    if (appId !== undefined) findings.appId = brief(appId);
    const { headers, refusal } = await admit(key, appId, deps);
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    if (refusal) throw refusal;
  };
  return { keyId: key.id, admitTo };
}

type Read = ReturnType<Endpoint['understand']>;

async function answer(c: RequestContext, read: Read, asking: Asking, deps: AnsweringDeps): Promise<Response> {
  const { apps, clock, cursorSecret } = deps;
  const findings = c.get('findings');
  const onScanned = (bytes: number) => {
    findings.bytesScanned = (findings.bytesScanned ?? 0) + bytes;
  };
  const now = clock.now();
  const call = { cursorSecret, signal: c.get('signal'), onScanned };
  const found = await apps.withApp(asking, (app) => read({ app, now: app.asOf?.(now) ?? now, ...call }));
  if (found === undefined) throw new RequestError('UNAVAILABLE', 'there are no data of this app yet');
  const body = { success: true, ...found.answer };
  if (deps.maxAnswerBytes !== undefined) requireFit(body, deps.maxAnswerBytes);
  findings.rows = found.answer.data.length;
  return c.json(body);
}

function requireFit(body: object, maxBytes: number): void {
  // As text within JSON, whose quotes are escaped once more.
  if (Buffer.byteLength(JSON.stringify(JSON.stringify(body))) <= maxBytes) return;
  const megabytes = (maxBytes / 1e6).toFixed(1);
  const message = `the answer is over ${megabytes} MB; ask for less at once: a smaller page_size, fewer groups, or fewer sections`;
  throw new RequestError('INVALID_REQUEST', message);
}

/** The app that a body names, so that its limits count for what is wrong with the rest of the body. */
function appIdIn(body: unknown): string | undefined {
  const named = z.object({ app_id: z.string() }).safeParse(body);
  return named.success ? named.data.app_id : undefined;
}
