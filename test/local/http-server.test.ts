import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createDataAccessApp } from '../../functions/data-access/app.ts';
import type { Answered } from '../../functions/data-access/requests/access-log.ts';
import { type HttpServer, listen } from '../../local/http-server.ts';
import { appSettingsSchema } from '../../shared/access/app-settings.ts';

const QUERY = '/v2/session/analytics?appid=shop&apikey=sesame';
const USERS = '/api/data-access/v1/user/analytics';

/** The service with an engine that answers after `go`, or stops when the request is aborted. */
async function slowService() {
  const asked = Promise.withResolvers<AbortSignal>();
  const go = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<Answered>();
  const settings = appSettingsSchema.parse({ id: 'shop', name: 'Shop' });
  const engine = {
    answer: async (_: unknown, signal = new AbortController().signal) => {
      asked.resolve(signal);
      const stopped = once(signal, 'abort').then(() => signal.throwIfAborted());
      await Promise.race([go.promise, stopped]);
      return { rows: [] };
    },
  };
  const app = createDataAccessApp({
    keys: { find: async (sha256) => ({ id: 'k', sha256, apps: ['shop'] }), noteUse: async () => {} },
    apps: {
      settingsOf: async () => settings,
      withApp: async (_, use) => ({ answer: await use({ settings, engine }) }),
      close: () => {},
    },
    clock: { now: () => Date.UTC(2026, 3, 10) },
    onAnswered: answered.resolve,
  });
  const server = await listen((request, env) => app.fetch(request, env), { host: '127.0.0.1', port: 0 });
  opened.push(server);
  return { server, asked: asked.promise, go: go.resolve, answered: answered.promise };
}

const opened: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close(0)));
});

describe('a client that disconnects', () => {
  test.each<[name: string, path: string, init: RequestInit]>([
    ['a query', QUERY, {}],
    ['a body', USERS, { method: 'POST', body: '{"app_id":"shop"}' }],
    [
      'a body of unknown length',
      USERS,
      { method: 'POST', duplex: 'half', body: new Blob(['{"app_id":"shop"}']).stream() },
    ],
  ])('stops the engine during a request with %s', async (_, path, init) => {
    const { server, asked, answered } = await slowService();
    const hangUp = new AbortController();
    const headers = { 'X-Api-Key': 'sesame', 'Content-Type': 'application/json' };
    const answer = fetch(`${server.url}${path}`, { ...init, headers, signal: hangUp.signal });
    answer.catch(() => {});
    const signal = await asked;
    expect(signal.aborted).toBe(false);
    hangUp.abort();
    await expect(answer).rejects.toThrow();
    const outcome = await answered;
    expect(outcome).toMatchObject({ status: 499, keyId: 'k' });
    expect(outcome).not.toHaveProperty('code');
    expect(signal.reason).toMatchObject({ name: 'AbortError' });
  });
});

describe('a server that closes', () => {
  const agent = new Agent({ keepAlive: true });
  afterEach(() => agent.destroy());

  test('finishes open requests and accepts no new ones', async () => {
    const { server, asked, go } = await slowService();
    const answer = once(httpRequest(`${server.url}${QUERY}`, { agent }).end(), 'response');
    await asked;
    const closed = server.close(60_000);
    await expect(fetch(`${server.url}/health`)).rejects.toThrow();
    go();
    const [response] = await answer;
    expect([response.statusCode, response.headers.connection]).toEqual([200, 'close']);
    response.resume();
    await closed;
  });

  test('answers a request without the header Host in the form of the service', async () => {
    const { server } = await slowService();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write('GET /v2/event HTTP/1.1\r\nConnection: close\r\n\r\n');
    const answer = Buffer.concat(await socket.toArray()).toString();
    expect(answer).toMatch(/^HTTP\/1.1 401 .*"success":false.*MISSING_CREDENTIALS/s);
  });

  test.each([
    [
      'too large headers',
      `GET /v2/event HTTP/1.1\r\nX-Long: ${'x'.repeat(70_000)}\r\n\r\n`,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['an invalid header', 'GET /v2/event HTTP/1.1\r\na b\r\n\r\n', 400, 'INVALID_REQUEST'],
  ])('answers a request with %s in the form of the service', async (_, sent, status, code) => {
    const { server } = await slowService();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(sent);
    const [head = '', body = ''] = Buffer.concat(await socket.toArray())
      .toString()
      .split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*X-Request-Id: `, 's'));
    expect(JSON.parse(body)).toMatchObject({ success: false, data: [], error: { code } });
  });

  test('drops requests after the timeout and stops the engine', async () => {
    const { server, asked, answered } = await slowService();
    const answer = fetch(`${server.url}${QUERY}`);
    answer.catch(() => {});
    const signal = await asked;
    await server.close(10);
    await expect(answer).rejects.toThrow();
    expect(await answered).toMatchObject({ status: 499 });
    expect(signal.aborted).toBe(true);
  });
});

test.each([
  ['a port in use', '127.0.0.1', 'is in use: choose another with --port'],
  ['an address of another machine', '192.0.2.1', '192.0.2.1 is not an address of this machine'],
])('listen reports %s in one sentence', async (_, host, said) => {
  const { server } = await slowService();
  const port = Number(new URL(server.url).port);
  await expect(listen(() => new Response(), { host, port })).rejects.toThrow(said);
});
