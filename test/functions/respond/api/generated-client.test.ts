import { once } from 'node:events';
import { request } from 'node:http';
import { OpenAPIClientAxios } from 'openapi-client-axios';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HttpServer, listen } from '../../../../local/http-server.ts';
import { openService, sqlite } from './alerts-desk.ts';
import { OPERATIONS } from './client.ts';

let service: Awaited<ReturnType<typeof openService>>;
let server: HttpServer;
beforeEach(async () => {
  const unlimited = { allowed: true, limit: 1, remaining: 1, resetSeconds: 1 };
  service = await openService(sqlite(), { limiter: { admit: async () => unlimited } });
  server = await listen((asked) => service.desk.app.fetch(asked), { host: '127.0.0.1', port: 0 });
});
afterEach(() => server.close(0));

/** A client that openapi-client-axios makes from the served document. Its calls return the status and the body. */
async function clientWith(token: string) {
  const api = new OpenAPIClientAxios({
    definition: `${server.url}/api/v1/openapi.json`,
    axiosConfigDefaults: { headers: { Authorization: `Bearer ${token}` }, validateStatus: () => true },
  });
  const client = await api.init();
  client.defaults.baseURL = `${server.url}/api/v1`;
  return async (name: string, parameters: object = {}, body?: unknown) => {
    const { status, data } = (await client[name]?.({ ...parameters }, body)) ?? {};
    return { status, body: data };
  };
}

test('a generated client lists, answers and silences alerts', async () => {
  const call = await clientWith(service.answer);
  const titles: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await call('listAlerts', { limit: 1, ...(cursor && { cursor }) });
    titles.push(...body.data.map(({ title }: { title: string }) => title));
    cursor = body.nextCursor;
  } while (cursor);
  expect(titles).toEqual(['Parts: Malta', 'Parts: Peru', 'Sales']);

  const [{ id }] = (await call('listAlerts', { q: 'sales' })).body.data;
  expect((await call('answerAlert', { id }, { answer: 'acknowledge' })).body.acknowledged.by).toBe('robot');
  expect((await call('getAlert', { id })).body.answers).toMatchObject([{ answer: 'acknowledge' }]);
  const { body: silence } = await call('addSilence', {}, { segment: 'Malta', hours: 1 });
  expect((await call('listSilences')).body.data).toEqual([silence]);
  expect((await call('endSilence', { id: silence.id })).body.active).toBe(false);
  await call('addNote', {}, { text: 'release 7.22' });
  expect((await call('listTimeline')).body.data[0]).toMatchObject({ kind: 'note', text: 'release 7.22' });
  expect((await call('listRules', { owner: 'checkout' })).body.data).toMatchObject([{ id: 'quiet' }]);
});

describe('a token that may only read', () => {
  test('reads by the generated client, and changes nothing', async () => {
    const call = await clientWith(service.read);
    const [{ id }] = (await call('listAlerts')).body.data;
    const body = { answer: 'acknowledge', text: 'x', app: 'web', hours: 1 };
    for (const { operationId, method } of OPERATIONS) {
      const { status } = await call(operationId, { id }, method === 'get' ? undefined : body);
      if (method !== 'get') expect([operationId, status]).toEqual([operationId, 403]);
      else expect(status).toBeLessThan(405);
    }
    expect(service.desk.writes).toEqual([]);
  });

  const PATHS = ['notes', 'silences', 'silences/id-1', 'alerts/WyJzYWxlcyIsbnVsbF0/answers'].flatMap(
    (path) => [
      ...[
        '/api/v1/',
        '/api/v1//',
        '/API/V1/',
        '/api/v1/./',
        '/api/v1/alerts/../',
        '/api/v1/%2e%2e/v1/',
        '/',
      ].map((before) => `${before}${path}`),
      ...['/', '%2f', ';x=1', '%00', '?scope=answer', '?_method=POST', '#'].map(
        (end) => `/api/v1/${path}${end}`,
      ),
      `/api/v1/${path.replace('s', '%73')}`,
    ],
  );
  const JSON_BODY = JSON.stringify({ answer: 'accept', text: 'x', app: 'web', hours: 1, scope: 'answer' });
  const FORM_BODY = 'answer=accept&rule=sales&text=x&app=web&hours=1&minutes_ago=0&by=Eve&back=/rules/a';
  const SENT: [body: string, headers: Record<string, string>][] = [
    [JSON_BODY, {}],
    [JSON_BODY, { 'X-HTTP-Method-Override': 'POST', 'X-Method-Override': 'DELETE' }],
    [JSON_BODY, { 'X-Scope': 'answer', 'X-Forwarded-User': 'Anna', 'X-Original-URL': '/api/v1/notes' }],
    [FORM_BODY, { 'Content-Type': 'application/x-www-form-urlencoded' }],
  ];

  test.each(PATHS)('changes nothing at %s', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      for (const [body, headers] of SENT) {
        const status = await statusOf(path, { method, headers, body });
        if (!['GET', 'HEAD'].includes(method)) expect(status).toBeGreaterThanOrEqual(400);
      }
    expect(service.desk.writes).toEqual([]);
  });

  /** Sends the path as it is, which `fetch` would normalise. */
  async function statusOf(path: string, { method, headers, body }: Sent): Promise<number> {
    const { hostname, port } = new URL(server.url);
    const own = { Authorization: `Bearer ${service.read}`, 'Content-Length': body.length };
    const sent = request({ hostname, port, path, method, headers: { ...own, ...headers } });
    sent.end(body);
    const [response] = await once(sent, 'response');
    response.resume();
    return response.statusCode;
  }
});

interface Sent {
  method: string;
  headers: Record<string, string>;
  body: string;
}
