import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { createDataAccessApp } from '../../functions/data-access/app.ts';
import type { Answered } from '../../functions/data-access/requests/access-log.ts';
import { type HttpServer, listen } from '../../local/http-server.ts';
import { appSettingsSchema } from '../../shared/access/app-settings.ts';
import { errorBodySchema } from '../../shared/analytics/responses.ts';

const QUERY = '/v2/session/analytics?appid=shop&apikey=sesame';
const USERS = '/api/data-access/v1/user/analytics';

/** The service over an engine that answers when told to, or stops when nobody waits any more. */
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
  const server = await listen((request) => app.fetch(request), { host: '127.0.0.1', port: 0 });
  opened.push(server);
  return { server, asked: asked.promise, go: go.resolve, answered: answered.promise };
}

const opened: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close(0)));
});

describe('a caller that hangs up', () => {
  test.each<[name: string, path: string, init: RequestInit]>([
    ['a query', QUERY, {}],
    ['a body', USERS, { method: 'POST', body: '{"app_id":"shop"}' }],
    [
      'a body of unknown length',
      USERS,
      { method: 'POST', duplex: 'half', body: new Blob(['{"app_id":"shop"}']).stream() },
    ],
  ])('stops the engine, asked by %s', async (_, path, init) => {
    const { server, asked, answered } = await slowService();
    const hangUp = new AbortController();
    const headers = { 'X-Api-Key': 'sesame', 'Content-Type': 'application/json' };
    const answer = fetch(`${server.url}${path}`, { ...init, headers, signal: hangUp.signal });
    answer.catch(() => {});
    const signal = await asked;
    expect(signal.aborted).toBe(false);
    hangUp.abort();
    await expect(answer).rejects.toThrow();
    const notified = await answered;
    expect(notified).toMatchObject({ status: 499, keyId: 'k' });
    expect(notified).not.toHaveProperty('code');
    expect(signal.reason).toMatchObject({ name: 'AbortError' });
  });
});

describe('a server that closes', () => {
  const agent = new Agent({ keepAlive: true });
  afterEach(() => agent.destroy());

  test('lets a request end, keeps no connection for another and takes none', async () => {
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

  test('hangs up on those that take too long, and stops the engine', async () => {
    const { server, asked, answered } = await slowService();
    const answer = fetch(`${server.url}${QUERY}`);
    answer.catch(() => {});
    const signal = await asked;
    await server.close(10);
    await expect(answer).rejects.toThrow();
    expect(await answered).toMatchObject({ status: 499 });
    expect(signal.aborted).toBe(true);
  });

  test('is not kept open by connections that nobody uses', async () => {
    const { server } = await slowService();
    const [response] = await once(httpRequest(`${server.url}/health`, { agent }).end(), 'response');
    response.resume();
    await once(response, 'end');
    await server.close(60_000);
  });
});

test.each([
  ['a port that is taken', '127.0.0.1', 'is in use: choose another with --port'],
  ['an address of another machine', '192.0.2.1', '192.0.2.1 is not an address of this machine'],
])('%s is told in a sentence', async (_, host, said) => {
  const { server } = await slowService();
  const port = Number(new URL(server.url).port);
  await expect(listen(() => new Response(), { host, port })).rejects.toThrow(said);
});

describe('what is no request', () => {
  const POST = `POST ${USERS} HTTP/1.1\r\nHost: x\r\nX-Api-Key: sesame\r\nContent-Type: application/json\r\n`;
  test.each([
    ['a Host that is none', 'GET /health HTTP/1.1\r\nHost: a b\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['no address', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['half an address', 'GET http:// HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'INVALID_REQUEST'],
    ['something else than HTTP', '\x16\x03hello\r\n\r\n', 400, 'INVALID_REQUEST'],
    [
      'a broken chunk',
      `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\n{"app\r\nZZ\r\n`,
      400,
      'INVALID_REQUEST',
    ],
    [
      'too large a header',
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(66_000)}\r\n\r\n`,
      413,
      'PAYLOAD_TOO_LARGE',
    ],
  ])('%s is refused in the words of the interface', async (_, sent, status, code) => {
    const answer = await exchanged(sent);
    expect(answer.status).toBe(status);
    expect(errorBodySchema.parse(answer.body).error.code).toBe(code);
  });

  test('but for an expectation that nobody knows', async () => {
    const answer = await exchanged(
      'GET /health HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toEqual({ status: 200, body: { status: 'ok' } });
  });
});

/** What comes back over a connection of its own, byte for byte. */
async function exchanged(sent: string): Promise<{ status: number; body: unknown }> {
  const { server } = await slowService();
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.end(sent);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
}
