import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answered, meterRequests } from '../../../functions/data-access/requests/access-log.ts';
import type { RequestFigures } from '../../../shared/runtime/metrics.ts';
import { event, KEY, type Sample, sample, session } from './sample-app.ts';

const EVENTS = '/v2/event';
const USERS = '/api/data-access/v1/user';
const PAGE = 'https://shop.example';

let shop: Sample;
let answered: Answered[] = [];
let problem: string | undefined;
beforeAll(async () => {
  const visit = session();
  shop = await sample({
    sessions: [visit],
    events: [event(visit), event(visit)],
    service: {
      corsOrigins: [PAGE],
      onAnswered: (request) => answered.push(request),
      problem: async () => problem,
    },
  });
});
afterAll(() => shop.close());
beforeEach(async () => {
  answered = [];
  problem = undefined;
  await shop.clock.sleep(1000);
});

const ask = (path: string, init?: RequestInit) => shop.app.request(path, init);
const good = `${EVENTS}?appid=shop&apikey=${KEY}`;
const json = { 'X-Api-Key': KEY, 'Content-Type': 'application/json' };
const codeOf = async (response: Response) =>
  ((await response.json()) as { error?: { code: string } }).error?.code;

describe('methods', () => {
  test('HEAD answers like GET, without a body', async () => {
    const [get, head] = [await ask(good), await ask(good, { method: 'HEAD' })];
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect([...head.headers.keys()]).toEqual([...get.headers.keys()]);
    expect((await ask(EVENTS, { method: 'HEAD' })).status).toBe(401);
  });

  test.each([
    [EVENTS, 'GET, HEAD'],
    [USERS, 'POST'],
    ['/health', 'GET, HEAD'],
  ])('%s allows only %s', async (path, allowed) => {
    const { status, headers } = await ask(path, { method: 'DELETE' });
    expect([status, headers.get('Allow')]).toEqual([405, allowed]);
  });
});

describe('browser pages', () => {
  const preflight = (Origin: string) =>
    ask(USERS, { method: 'OPTIONS', headers: { Origin, 'Access-Control-Request-Method': 'POST' } });

  test('of an allowed origin may send a key and read answers and errors', async () => {
    const { headers } = await preflight(PAGE);
    expect(headers.get('Access-Control-Allow-Origin')).toBe(PAGE);
    expect(headers.get('Access-Control-Allow-Headers')).toContain('X-Api-Key');
    const refused = await ask(EVENTS, { headers: { Origin: PAGE } });
    expect([refused.status, refused.headers.get('Access-Control-Allow-Origin')]).toEqual([401, PAGE]);
  });

  test.each([['https://other.example'], ['null'], [`${PAGE}.evil.example`]])(
    'of %s may not read answers',
    async (origin) => {
      expect((await preflight(origin)).headers.get('Access-Control-Allow-Origin')).toBeNull();
      const read = await ask(good, { headers: { Origin: origin } });
      expect(read.headers.get('Access-Control-Allow-Origin')).toBeNull();
    },
  );

  test.each([['*'], ['null'], ['shop.example'], ['https://shop.example/'], ['file:///x']])(
    'of %s cannot be allowed, as that is not an origin',
    async (origin) => {
      await expect(sample({ service: { corsOrigins: [origin] } })).rejects.toThrow(/not an origin/);
    },
  );
});

describe('health', () => {
  test('needs no key, and is not logged while ok', async () => {
    const response = await ask('/health');
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
    expect(answered).toEqual([]);
  });

  test('names the problem if the service is unavailable', async () => {
    problem = 'there are no keys';
    const response = await ask('/health');
    expect([response.status, await response.json()]).toEqual([503, { status: 'unavailable', problem }]);
    expect(answered).toMatchObject([{ path: '/health', status: 503 }]);
  });
});

describe('the access log', () => {
  test('has the key, app, status, duration and rows of a request', async () => {
    const response = await ask(good, { headers: { 'X-Request-Id': 'from-the-gateway' } });
    expect(response.headers.get('X-Request-Id')).toBe('from-the-gateway');
    expect(answered).toEqual([
      {
        requestId: 'from-the-gateway',
        method: 'GET',
        path: EVENTS,
        status: 200,
        durationMs: 0,
        keyId: 'k1',
        appId: 'shop',
        rows: 2,
      },
    ]);
  });

  test.each([['two words'], ['x'.repeat(300)], ['a\u00e9']])(
    'does not take over the invalid request id %j',
    async (id) => {
      const response = await ask(EVENTS, { headers: { 'X-Request-Id': id } });
      expect(response.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  test('has the code of a refusal, and no app for a wrong key', async () => {
    await ask(`${EVENTS}?appid=shop&apikey=wrong`);
    await ask(`${EVENTS}?appid=other&apikey=${KEY}`);
    await ask(`${good}&page=0`);
    expect(answered.map(({ status, code, keyId, appId }) => [status, code, keyId, appId])).toEqual([
      [401, 'INVALID_CREDENTIALS', undefined, undefined],
      [403, 'FORBIDDEN', 'k1', 'other'],
      [400, 'INVALID_REQUEST', 'k1', 'shop'],
    ]);
  });

  test.each([
    [good],
    [`${EVENTS}?apikey=${KEY}`],
    [`${EVENTS}&appid=shop&apikey=${KEY}`],
    [`/v2/nothing?apikey=${KEY}`],
    [`${EVENTS}%3Fappid%3Dshop%26apikey%3D${KEY}`],
  ])('contains no key: %s', async (path) => {
    await ask(path);
    await ask(path, { method: 'DELETE' });
    expect(answered).toHaveLength(2);
    expect(JSON.stringify([answered, shop.logged])).not.toContain(KEY);
  });

  test('escapes control characters from requests', async () => {
    await ask('/v2/a%0A200%1B[2J%C2%9B%E2%80%AE');
    const named = (app_id: string) =>
      ask(USERS, { method: 'POST', headers: json, body: JSON.stringify({ app_id }) });
    await named('a\n200\u001b[2J');
    await named('xdwk_0123456789');
    expect(answered.map(({ path, appId }) => appId ?? path)).toEqual([
      '/v2/a%0A200%1B[2J%C2%9B%E2%80%AE',
      'a%0A200%1B[2J',
      'x[redacted]',
    ]);
  });

  test('is counted as metrics', () => {
    const figures: RequestFigures[] = [];
    const meter = meterRequests((figure) => figures.push(figure));
    const request = { requestId: 'r', method: 'GET', path: '/', durationMs: 7 };
    meter({ ...request, status: 200, rows: 3, bytesScanned: 10 });
    meter({ ...request, status: 429 });
    meter({ ...request, status: 503 });
    meter({ ...request, status: 499 });
    const none = { Requests: 1, Refusals: 0, Failures: 0, DurationMs: 7, Rows: 0, BytesScanned: 0 };
    expect(figures).toEqual([
      { ...none, Rows: 3, BytesScanned: 10 },
      { ...none, Refusals: 1 },
      { ...none, Failures: 1 },
      none,
    ]);
  });
});

describe('a request beyond the limits is refused:', () => {
  test('a URL over 32 KiB', async () => {
    const response = await ask(`${good}&filters=${'x'.repeat(33_000)}`);
    expect([response.status, await codeOf(response)]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test('lists nested 60,000 levels deep', async () => {
    const body = `{"app_id":"shop","filters":${'['.repeat(60_000)}${']'.repeat(60_000)}}`;
    const response = await ask(USERS, { method: 'POST', headers: json, body });
    expect([response.status, await codeOf(response)]).toEqual([400, 'INVALID_FILTER']);
  });

  test.each(['1e999', '-1e999'])('the number %s', async (value) => {
    const body = `{"app_id":"shop","filters":[{"attribute":"session_duration","operator":"greater","value":${value}}]}`;
    const response = await ask(USERS, { method: 'POST', headers: json, body });
    expect([response.status, await codeOf(response)]).toEqual([400, 'INVALID_FILTER']);
  });

  test('thousands of unknown fields; the error names only a few', async () => {
    const fields = Array.from({ length: 5000 }, (_, i) => `"${i}${'x'.repeat(30)}":1`).join();
    const response = await ask(USERS, { method: 'POST', headers: json, body: `{"app_id":"shop",${fields}}` });
    expect(response.status).toBe(400);
    expect((await response.text()).length).toBeLessThan(10_000);
  });
});

describe('names with a meaning in JavaScript', () => {
  test.each(['__proto__', 'constructor', 'toString'])(
    '%s is an unknown field like any other',
    async (name) => {
      const query = await ask(`${good}&${name}=1`);
      expect([query.status, await codeOf(query)]).toEqual([400, 'INVALID_REQUEST']);
      const body = `{"app_id":"shop","${name}":{"isAdmin":true}}`;
      const posted = await ask(USERS, { method: 'POST', headers: json, body });
      expect([posted.status, await codeOf(posted)]).toEqual([400, 'INVALID_REQUEST']);
      expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
    },
  );
});
