import { describe, expect, test } from 'vitest';
import {
  createHttpMetricSource,
  type HttpMetricSourceOptions,
} from '../../../../shared/adapters/data-access/metric-source.ts';
import type { Question } from '../../../../shared/alerting/readings/reading.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { ConfigError } from '../../../../shared/runtime/errors.ts';
import { listen } from '../../../fixtures/loopback-server.ts';
import { aQuestion, HOUR, PREVIOUS, WINDOW } from '../../../fixtures/questions.ts';

const KEY = "key/with+signs! (and 'more')~";
const NOW = Date.parse('2026-04-01T11:10:00Z');

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** A string is sent as it is, all else as JSON. */
  body?: unknown;
}

interface Asked {
  at: number;
  path: string;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
  init: RequestInit;
}

const rows = (...data: object[]): Reply => ({ body: { success: true, data } });
const page = (next: number | null, ...data: object[]): Reply => ({
  body: { success: true, data, pagination: { current: 1, next, total: data.length } },
});

/** A source whose service gives `replies` in turn, and the requests that it got. */
function sourceOf(replies: Reply[], options: Partial<HttpMetricSourceOptions> = {}) {
  const clock = new ManualClock(NOW);
  const asked: Asked[] = [];
  const source = createHttpMetricSource({
    baseUrl: 'https://analytics.example.com/base/',
    apiKey: KEY,
    clock,
    budget: { takeCalls: () => true },
    fetch: (url, init) => {
      asked.push({ at: clock.now() - NOW, init, ...partsOf(url, init) });
      const { status = 200, headers, body = '' } = replies[asked.length - 1] ?? { status: 599 };
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
        status,
        ...(headers && { headers }),
      });
    },
    ...options,
  });
  return { source, asked, clock };
}

function partsOf(url: string, init: RequestInit) {
  const { pathname, searchParams } = new URL(url);
  const query = [...searchParams].map(([key, value]) => [
    key,
    /^[[{]/.test(value) ? JSON.parse(value) : value,
  ]);
  return {
    path: pathname,
    query: Object.fromEntries(query),
    body: typeof init.body === 'string' ? JSON.parse(init.body) : {},
  };
}

const RANGE = {
  attribute: 'date_range',
  operator: 'between_dates',
  value: { lower: '2026-04-01T10:00:00.000Z', upper: '2026-04-01T11:00:00.000Z' },
};
const RANGE_BEFORE = {
  ...RANGE,
  value: { lower: '2026-04-01T09:00:00.000Z', upper: '2026-04-01T10:00:00.000Z' },
};
const compared = { event_count: 5, event_count_previous: 3, event_count_pct_change: 66.67 };

describe('what is asked', () => {
  test('a legacy question travels in the address, always compared', async () => {
    const { source, asked } = sourceOf([rows(compared)]);
    await source.read(aQuestion());
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      path: '/base/v2/event/analytics',
      query: {
        appid: 'shop',
        apikey: KEY,
        filters: [RANGE],
        aggregation: [{ attribute: 'event_count' }],
        comparison: '1',
        page: '1',
        page_size: '500',
      },
      init: { redirect: 'manual' },
    });
  });

  test('event names are filtered and grouped by, segments too', async () => {
    const { source, asked } = sourceOf([rows(), rows()]);
    const segmentBy = { attribute: 'device_country', max_group_number: 7 } as const;
    await source.read(aQuestion({ eventNames: ['a', 'b'], segmentBy }));
    expect(asked.map(({ query }) => query)).toMatchObject(
      [RANGE, RANGE_BEFORE].map((range) => ({
        filters: [range, { attribute: 'event_name', operator: 'in', value: ['a', 'b'] }],
        group_by: [{ attribute: 'event_name', max_group_number: 2 }, segmentBy],
        comparison: '1',
      })),
    );
  });

  test('groups of several attributes come after the segments', async () => {
    const { source, asked } = sourceOf([rows(), rows()]);
    const segmentBy = { attribute: 'device_country', max_group_number: 7 } as const;
    const groupBy = [
      { attribute: 'app_version', max_group_number: 21 },
      { attribute: 'device_model' },
    ] as const;
    await source.read(aQuestion({ eventNames: ['a'], segmentBy, groupBy: [...groupBy] }));
    expect(asked[0]?.query).toMatchObject({ group_by: [segmentBy, ...groupBy] });
  });

  test('users are asked about in a body, with the key in a header and one call a window', async () => {
    const { source, asked } = sourceOf([rows({ user_count: 5 }), rows({ user_count: 3 })]);
    const question = aQuestion({ endpoint: 'user', aggregations: [{ attribute: 'user_count' }] });
    expect(await source.read(question)).toEqual({
      kind: 'read',
      value: [{ current: { user_count: 5 }, previous: { user_count: 3 } }],
    });
    expect(asked).toMatchObject(
      [RANGE, RANGE_BEFORE].map((range) => ({
        path: '/base/api/data-access/v1/user/analytics',
        query: {},
        body: { app_id: 'shop', filters: [range], group_by: [], aggregation: [{ attribute: 'user_count' }] },
        init: { method: 'POST', headers: { 'X-Api-Key': KEY } },
      })),
    );
    expect(asked[0]?.body).not.toHaveProperty('comparison');
  });

  test('users are asked about once where the service compares bodies', async () => {
    const { source, asked } = sourceOf([rows({ user_count: 5, user_count_previous: 3 })], {
      supportsBodyComparison: true,
    });
    const result = await source.read(
      aQuestion({ endpoint: 'user', aggregations: [{ attribute: 'user_count' }] }),
    );
    expect(result).toMatchObject({ value: [{ current: { user_count: 5 }, previous: { user_count: 3 } }] });
    expect(asked).toMatchObject([{ body: { comparison: 1 } }]);
  });

  test('names that do not fit one address go into several, and their rows together', async () => {
    const eventNames = Array.from({ length: 600 }, (_, i) => `event number ${i}`);
    const urls: string[] = [];
    const { source } = sourceOf([], {
      fetch: (url, init) => {
        urls.push(url);
        const names = namesIn(partsOf(url, init).query);
        return Response.json({ data: names.map((event_name) => ({ event_name, ...compared })) });
      },
    });
    const result = await source.read(aQuestion({ eventNames }));
    expect(result.kind === 'read' && result.value.map(({ eventName }) => eventName)).toEqual(eventNames);
    expect(urls.length).toBeGreaterThan(1);
    for (const url of urls) expect(url.length).toBeLessThan(6000);
  });
});

function namesIn(query: Record<string, unknown>): string[] {
  const filters = query.filters as { attribute: string; value: string[] }[];
  return filters.flatMap(({ attribute, value }) => (attribute === 'event_name' ? value : []));
}

describe('answers as services give them', () => {
  const CURRENT = { current: { event_count: 5 } };
  const BOTH = { ...CURRENT, previous: { event_count: 3 } };

  test.each<{ name: string; question?: Partial<Question>; replies: Reply[]; value: object[] }>([
    { name: 'compared', replies: [rows(compared)], value: [BOTH] },
    {
      name: 'only a percentage: the window before is read',
      replies: [rows({ event_count: 5, event_count_pct_change: 66.67 }), rows({ event_count: 3 })],
      value: [BOTH],
    },
    {
      name: 'no comparison of groups: rows are joined by group',
      question: { segmentBy: { attribute: 'device_country' } },
      replies: [
        rows({ device_country: 'DE', event_count: 5 }, { device_country: 'FR', event_count: 1 }),
        rows({ device_country: 'DE', event_count: 3 }, { device_country: 'IT', event_count: 2 }),
      ],
      value: [
        { segment: 'DE', ...BOTH },
        { segment: 'FR', current: { event_count: 1 } },
        { segment: 'IT', previous: { event_count: 2 } },
      ],
    },
    {
      name: 'a comparison with another length is not taken',
      question: { previous: { startAt: WINDOW.startAt - 25 * HOUR, endAt: WINDOW.startAt } },
      replies: [rows(compared), rows({ event_count: 90, event_count_previous: 1 })],
      value: [{ ...CURRENT, previous: { event_count: 90 } }],
    },
    {
      name: 'a comparison with another time is not taken',
      question: { previous: { startAt: PREVIOUS.startAt - HOUR, endAt: PREVIOUS.startAt } },
      replies: [rows(compared), rows({ event_count: 90 })],
      value: [{ ...CURRENT, previous: { event_count: 90 } }],
    },
    {
      name: 'a group that is gone',
      question: { segmentBy: { attribute: 'app_version' } },
      replies: [rows({ app_version: '1.0', event_count: 0, event_count_previous: 3 })],
      value: [{ segment: '1.0', current: { event_count: 0 }, previous: { event_count: 3 } }],
    },
    {
      name: 'an empty list written as a map',
      replies: [{ body: { success: true, data: {} } }, { body: { success: true, data: {} } }],
      value: [],
    },
    {
      name: 'pages in no order, of which the last is full, and a "total" of one page',
      question: { segmentBy: { attribute: 'device_country' } },
      replies: [
        page(2, { device_country: 'FR', ...compared }),
        page(3, { device_country: 'DE', ...compared }),
        page(4),
      ],
      value: [
        { segment: 'FR', ...BOTH },
        { segment: 'DE', ...BOTH },
      ],
    },
    {
      name: 'a segment longer than any store has room for: it is cut',
      question: { segmentBy: { attribute: 'utm' } },
      replies: [rows({ utm: 'a'.repeat(410_000), ...compared })],
      value: [{ segment: expect.stringMatching(/^a{200}… \(cut, [0-9a-f]{12}\)$/), ...BOTH }],
    },
    {
      name: 'segments without a value, of an empty one, and of those that look like it',
      question: { segmentBy: { attribute: 'utm' } },
      replies: [rows(...['spring', null, '', '(none)', 'null'].map((utm) => ({ utm, ...compared })))],
      value: ['spring', '', '""', '(none)', 'null'].map((segment) => ({ segment, ...BOTH })),
    },
    {
      name: 'the rest folded into one row, compared',
      question: { segmentBy: { attribute: 'device_country' } },
      replies: [rows({ device_country: 'DE', ...compared }, { device_country: 'others', ...compared })],
      value: [
        { segment: 'DE', ...BOTH },
        { segment: 'others', isRest: true, ...BOTH },
      ],
    },
    {
      name: 'the rest of one event, folded in the window before only',
      question: { eventNames: ['a', 'b'], segmentBy: { attribute: 'device_country' } },
      replies: [
        rows({ event_name: 'a', device_country: 'DE', event_count: 5 }),
        rows({ event_name: 'a', device_country: 'others', event_count: 3 }),
      ],
      value: [
        { eventName: 'a', segment: 'DE', ...CURRENT },
        { eventName: 'a', segment: 'others', isRest: true, previous: { event_count: 3 } },
      ],
    },
    {
      name: 'the rest of the one event asked about, which is called so itself',
      question: { eventNames: ['others'], segmentBy: { attribute: 'device_country' } },
      replies: [rows({ device_country: 'others', ...compared })],
      value: [{ eventName: 'others', segment: 'others', isRest: true, ...BOTH }],
    },
    {
      name: 'groups of two attributes, joined, of which one is folded and one has no value',
      question: { groupBy: [{ attribute: 'app_version' }, { attribute: 'device_model' }] },
      replies: [
        rows({ app_version: '1.0', device_model: 'others', event_count: 5 }),
        rows(
          { app_version: '1.0', device_model: 'others', event_count: 3 },
          { app_version: '1.0', device_model: null, event_count: 2 },
        ),
      ],
      value: [
        { groups: ['1.0', null], ...BOTH },
        { groups: ['1.0', ''], previous: { event_count: 2 } },
      ],
    },
    {
      name: 'the rest of all event names',
      question: { segmentBy: { attribute: 'event_name' } },
      replies: [rows({ event_name: 'others', ...compared })],
      value: [{ segment: 'others', isRest: true, ...BOTH }],
    },
    {
      name: 'segments by event name, of an event that is called "others"',
      question: { eventNames: ['others', 'a'], segmentBy: { attribute: 'event_name' } },
      replies: [rows({ event_name: 'others', ...compared })],
      value: [{ eventName: 'others', segment: 'others', ...BOTH }],
    },
    {
      name: 'segments that are no texts',
      question: { endpoint: 'session', segmentBy: { attribute: 'session_crashed' } },
      replies: [rows({ session_crashed: true, ...compared })],
      value: [{ segment: 'true', ...BOTH }],
    },
    {
      name: 'events that were not asked about, and one that is called "others"',
      question: { eventNames: ['others', 'a'] },
      replies: [rows({ event_name: 'b', ...compared }, { event_name: 'others', ...compared })],
      value: [{ eventName: 'others', ...BOTH }],
    },
    {
      name: 'segments by event name',
      question: { eventNames: ['a', 'b'], segmentBy: { attribute: 'event_name' } },
      replies: [rows({ event_name: 'a', ...compared })],
      value: [{ eventName: 'a', segment: 'a', ...BOTH }],
    },
    {
      name: 'figures the service has none of',
      question: { aggregations: [{ attribute: 'session_duration', operator: 'avg' }] },
      replies: [rows({ avg_session_duration: null, avg_session_duration_previous: 2.5 })],
      value: [{ current: { avg_session_duration: null }, previous: { avg_session_duration: 2.5 } }],
    },
  ])('$name', async ({ question, replies, value }) => {
    const { source, asked } = sourceOf(replies);
    expect(await source.read(aQuestion(question))).toEqual({ kind: 'read', value });
    expect(asked).toHaveLength(replies.length);
    expect(asked.every(({ query }) => query.comparison === '1')).toBe(true);
  });

  test('without a pagination block a full page is followed by another', async () => {
    const full = Array.from({ length: 500 }, (_, i) => ({ device_model: `m${i}`, ...compared }));
    const { source, asked } = sourceOf([rows(...full), rows({ device_model: 'last', ...compared })]);
    const result = await source.read(aQuestion({ segmentBy: { attribute: 'device_model' } }));
    expect(result.kind === 'read' && result.value).toHaveLength(501);
    expect(asked.map(({ query }) => query.page)).toEqual(['1', '2']);
  });
});

describe('answers that fail at once', () => {
  test.each<{ name: string; reply: Reply; question?: Partial<Question>; says: string | RegExp }>([
    {
      name: 'the error body of the contract',
      reply: {
        status: 400,
        body: { success: false, data: [], error: { code: 'INVALID_FILTER', message: 'filters[0]: no' } },
      },
      says: 'the data access service refused the request (400, INVALID_FILTER: filters[0]: no)',
    },
    {
      name: 'a detail',
      reply: { status: 403, body: { detail: { code: 'FORBIDDEN', message: 'not yours' } } },
      says: /does not accept the API key for this app; check the key and the app id \(403, FORBIDDEN: not yours\)/,
    },
    {
      name: 'a list of details',
      reply: { status: 422, body: { detail: [{ loc: ['query', 'x'], msg: 'field required' }, 'and more'] } },
      says: /\(422, field required; and more\)/,
    },
    {
      name: 'a detail in words',
      reply: { status: 401, body: { detail: 'no key' } },
      says: /\(401, no key\)/,
    },
    { name: 'an error in words', reply: { status: 404, body: { error: 'gone' } }, says: /\(404, gone\)/ },
    { name: 'only a message', reply: { status: 404, body: { message: 'gone' } }, says: /\(404, gone\)/ },
    {
      name: "a proxy's page",
      reply: { status: 404, body: '<html>apikey=1</html>' },
      says: /request \(404\)$/,
    },
    {
      name: 'the key repeated',
      reply: { status: 400, body: { error: `bad ${KEY} ${encodeURIComponent(KEY)}` } },
      says: /\(400, bad \*\*\* \*\*\*\)/,
    },
    {
      name: 'the key repeated where the tale is cut',
      reply: { status: 400, body: { error: `${'x'.repeat(295)}${KEY}` } },
      says: /x\*\*\*\)$/,
    },
    {
      name: 'the key repeated as it was sent',
      reply: { status: 400, body: { error: `bad ?${new URLSearchParams({ apikey: KEY })}&page=1` } },
      says: /\(400, bad \?apikey=\*\*\*&page=1\)/,
    },
    {
      name: 'a long tale',
      reply: { status: 400, body: { error: 'x'.repeat(5000) } },
      says: /^.{300,400}…\)$/,
    },
    {
      name: 'a redirect',
      reply: { status: 302, headers: { Location: 'https://elsewhere.example.com' } },
      says: /redirects to another address; correct its URL \(302\)/,
    },
    { name: 'a page instead of JSON', reply: { body: '<html>Sign in</html>' }, says: /is not JSON/ },
    { name: 'no list', reply: { body: { success: true } }, says: /no list "data"/ },
    { name: 'success denied', reply: { body: { success: false, data: [] } }, says: /"success": false/ },
    {
      name: 'a missing figure',
      reply: rows({ sum: 5 }),
      says: /a row has no "event_count"; its fields are sum/,
    },
    {
      name: 'a figure in words',
      reply: rows({ event_count: '5' }),
      says: /"event_count" of a row is not a number/,
    },
    {
      name: 'a previous figure in words',
      reply: rows({ event_count: 5, event_count_previous: '3' }),
      says: /"event_count_previous" of a row is not a number/,
    },
    {
      name: 'a missing group',
      reply: rows(compared),
      question: { segmentBy: { attribute: 'device_country' } },
      says: /a row has no "device_country"/,
    },
    {
      name: 'a group twice',
      reply: rows(compared, compared),
      says: /returned two rows for the group/,
    },
    {
      name: 'a wait beyond reason',
      reply: { status: 429, headers: { 'Retry-After': '3600' } },
      says: /limits the call rate \(429\)/,
    },
  ])('$name', async ({ reply, question, says }) => {
    const { source, asked } = sourceOf([reply, reply]);
    const result = await source.read(aQuestion(question));
    expect(result).toMatchObject({
      kind: 'failed',
      reason: typeof says === 'string' ? says : expect.stringMatching(says),
      retryable: reply.status === 429,
    });
    // A refusal may be of the page, which the interface names for lists alone.
    const isRefusal = reply.status === 400 || reply.status === 422;
    expect(asked.map(({ query }) => query.page)).toEqual(isRefusal ? ['1', undefined] : ['1']);
    expect(JSON.stringify(result)).not.toMatch(/key\/with|key%2Fwith|https?:/);
  });
});

describe('answers that are asked for again', () => {
  test.each<{ name: string; reply: Reply; waits: number }>([
    { name: '429 with seconds', reply: { status: 429, headers: { 'Retry-After': '7' } }, waits: 7000 },
    {
      name: '429 with a date',
      reply: { status: 429, headers: { 'Retry-After': 'Wed, 01 Apr 2026 11:10:03 GMT' } },
      waits: 3000,
    },
    {
      name: '429 with the reset only',
      reply: { status: 429, headers: { 'X-RateLimit-Reset': '2' } },
      waits: 2000,
    },
    { name: '429 without a header', reply: { status: 429 }, waits: 1000 },
    { name: '500', reply: { status: 500 }, waits: 1000 },
    { name: '503 with HTML', reply: { status: 503, body: '<html>' }, waits: 1000 },
  ])('$name', async ({ reply, waits }) => {
    const { source, asked } = sourceOf([reply, rows(compared)]);
    expect(await source.read(aQuestion())).toMatchObject({ kind: 'read' });
    expect(asked.map(({ at }) => at)).toEqual([0, waits]);
  });

  test('a few times only, each later than the one before', async () => {
    const { source, asked } = sourceOf(Array.from({ length: 9 }, () => ({ status: 502 })));
    expect(await source.read(aQuestion())).toEqual({
      kind: 'failed',
      reason: 'the data access service failed (502)',
      retryable: true,
    });
    expect(asked.map(({ at }) => at)).toEqual([0, 1000, 3000, 7000]);
  });

  test('a service that is not there', async () => {
    const server = await listen(() => {});
    await server[Symbol.asyncDispose]();
    const { source } = sourceOf([], { baseUrl: server.url, fetch });
    expect(await source.read(aQuestion())).toEqual({
      kind: 'failed',
      reason: 'the data access service cannot be reached (ECONNREFUSED)',
      retryable: true,
    });
  });

  test('a service that never answers', async () => {
    await using server = await listen(() => {});
    const { source } = sourceOf([], { baseUrl: server.url, fetch, timeoutMs: 20 });
    expect(await source.read(aQuestion())).toEqual({
      kind: 'failed',
      reason: 'the data access service did not answer within 20 ms',
      retryable: true,
    });
  });
});

describe('calls are counted and paced', () => {
  test('every request is taken from the budget, further pages and retries too', async () => {
    const taken: unknown[] = [];
    const { source } = sourceOf(
      [
        { status: 500 },
        page(2, { app_version: '1', ...compared }),
        page(null, { app_version: '2', ...compared }),
      ],
      { budget: { takeCalls: (...call) => taken.push(call) > 0 } },
    );
    await source.read(aQuestion({ segmentBy: { attribute: 'app_version' } }));
    expect(taken).toEqual([
      ['shop', NOW, 1, 'whole'],
      ['shop', NOW + 1000, 1, 'whole'],
      ['shop', NOW + 1200, 1, 'whole'],
    ]);
  });

  test('without budget nothing is asked', async () => {
    const { source, asked } = sourceOf([], { budget: { takeCalls: async () => false } });
    const spent = { kind: 'budget-spent', reason: 'no calls are left this hour for the app "shop"' };
    expect(await source.read(aQuestion())).toEqual(spent);
    expect(await source.readNewestEventAt('shop', NOW)).toEqual(spent);
    expect(asked).toEqual([]);
  });

  test('a budget that cannot be asked is no answer of the service', async () => {
    const broken = new Error('the table is gone');
    const { source } = sourceOf([], { budget: { takeCalls: () => Promise.reject(broken) } });
    await expect(source.read(aQuestion())).rejects.toBe(broken);
  });

  test('calls keep their distance, whoever makes them', async () => {
    const replies = Array.from({ length: 4 }, () => rows(compared));
    const waited: number[] = [];
    const clock = { now: () => NOW, sleep: async (ms: number) => void waited.push(ms) };
    const { source } = sourceOf(replies, { clock, requestsPerSecond: 2 });
    await Promise.all(replies.map(() => source.read(aQuestion())));
    expect(waited).toEqual([500, 1000, 1500]);
  });
});

describe('the newest event', () => {
  test.each<{ name: string; reply: Reply; result: object }>([
    {
      name: 'is there',
      reply: rows({ eventDate: '2026-04-01T10:59:00.500Z' }),
      result: { kind: 'read', value: Date.parse('2026-04-01T10:59:00.500Z') },
    },
    { name: 'is not there', reply: rows(), result: { kind: 'read', value: null } },
    { name: 'is not there, as a map', reply: { body: { data: {} } }, result: { kind: 'read', value: null } },
    {
      name: 'has no date',
      reply: rows({ eventDate: 'yesterday' }),
      result: {
        kind: 'failed',
        reason: expect.stringMatching(/"eventDate" of an event is not/),
        retryable: false,
      },
    },
  ])('$name', async ({ reply, result }) => {
    const { source, asked } = sourceOf([reply]);
    expect(await source.readNewestEventAt('shop', WINDOW.startAt)).toEqual(result);
    const value = { lower: '2026-04-01T10:00:00.000Z', upper: '2026-04-01T11:15:00.000Z' };
    expect(asked).toMatchObject([
      { path: '/base/v2/event', query: { page: '1', page_size: '1', filters: [{ ...RANGE, value }] } },
    ]);
  });
});

test('an address that is none is refused without repeating it', () => {
  expect(() => sourceOf([], { baseUrl: 'analytics' })).toThrow(ConfigError);
});
