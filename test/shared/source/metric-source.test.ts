import { describe, expect, test } from 'vitest';
import type { Question } from '../../../shared/readings/reading.ts';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { aQuestion, PREVIOUS, WINDOW } from '../../fixtures/questions.ts';
import { compared, KEY, page, partsOf, type Reply, rows, sourceOf } from './replying-source.ts';

const RANGE = {
  attribute: 'date_range',
  operator: 'between_dates',
  value: { lower: '2026-04-01T10:00:00.000Z', upper: '2026-04-01T11:00:00.000Z' },
};
const RANGE_BEFORE = {
  ...RANGE,
  value: { lower: '2026-04-01T09:00:00.000Z', upper: '2026-04-01T10:00:00.000Z' },
};

describe('requests', () => {
  test('send a legacy question in the query, always with a comparison', async () => {
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

  test('filter and group by event names, and group by segments', async () => {
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

  test('put further groups after the segments', async () => {
    const { source, asked } = sourceOf([rows(), rows()]);
    const segmentBy = { attribute: 'device_country', max_group_number: 7 } as const;
    const groupBy = [
      { attribute: 'app_version', max_group_number: 21 },
      { attribute: 'device_model' },
    ] as const;
    await source.read(aQuestion({ eventNames: ['a'], segmentBy, groupBy: [...groupBy] }));
    expect(asked[0]?.query).toMatchObject({ group_by: [segmentBy, ...groupBy] });
  });

  test('ask for users in a body, with the key in a header and one call per window', async () => {
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

  test('ask for users once if the service compares in bodies', async () => {
    const { source, asked } = sourceOf([rows({ user_count: 5, user_count_previous: 3 })], {
      supportsBodyComparison: true,
    });
    const result = await source.read(
      aQuestion({ endpoint: 'user', aggregations: [{ attribute: 'user_count' }] }),
    );
    expect(result).toMatchObject({ value: [{ current: { user_count: 5 }, previous: { user_count: 3 } }] });
    expect(asked).toMatchObject([{ body: { comparison: 1 } }]);
  });

  test('split names that do not fit one URL, and join the rows', async () => {
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

describe('responses', () => {
  const CURRENT = { current: { event_count: 5 } };
  const BOTH = { ...CURRENT, previous: { event_count: 3 } };

  test.each<{ name: string; question?: Partial<Question>; replies: Reply[]; value: object[] }>([
    { name: 'with a comparison', replies: [rows(compared)], value: [BOTH] },
    {
      name: 'with only a percentage: the previous window is read',
      replies: [rows({ event_count: 5, event_count_pct_change: 66.67 }), rows({ event_count: 3 })],
      value: [BOTH],
    },
    {
      name: 'without a comparison of groups: rows are joined by group',
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
      name: 'with a comparison of another length, which is ignored',
      question: { previous: { startAt: WINDOW.startAt - 25 * HOUR_MS, endAt: WINDOW.startAt } },
      replies: [rows(compared), rows({ event_count: 90, event_count_previous: 1 })],
      value: [{ ...CURRENT, previous: { event_count: 90 } }],
    },
    {
      name: 'with a comparison of another time, which is ignored',
      question: { previous: { startAt: PREVIOUS.startAt - HOUR_MS, endAt: PREVIOUS.startAt } },
      replies: [rows(compared), rows({ event_count: 90 })],
      value: [{ ...CURRENT, previous: { event_count: 90 } }],
    },
    {
      name: 'with an empty list written as a map',
      replies: [{ body: { success: true, data: {} } }, { body: { success: true, data: {} } }],
      value: [],
    },
    {
      name: 'with unsorted pages and a "total" of one page',
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
      name: 'with a segment that is too long for the store, which is cut',
      question: { segmentBy: { attribute: 'utm' } },
      replies: [rows({ utm: 'a'.repeat(410_000), ...compared })],
      value: [{ segment: expect.stringMatching(/^a{200}… \(cut, [0-9a-f]{12}\)$/), ...BOTH }],
    },
    {
      name: 'with segments that are null, empty, or look like it',
      question: { segmentBy: { attribute: 'utm' } },
      replies: [rows(...['spring', null, '', '(none)', 'null'].map((utm) => ({ utm, ...compared })))],
      value: ['spring', '', '""', '(none)', 'null'].map((segment) => ({ segment, ...BOTH })),
    },
    {
      name: 'with a folded rest and a comparison',
      question: { segmentBy: { attribute: 'device_country' } },
      replies: [rows({ device_country: 'DE', ...compared }, { device_country: 'others', ...compared })],
      value: [
        { segment: 'DE', ...BOTH },
        { segment: 'others', isRest: true, ...BOTH },
      ],
    },
    {
      name: 'with groups of two attributes, one folded and one empty',
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
      name: 'with a rest of all event names',
      question: { segmentBy: { attribute: 'event_name' } },
      replies: [rows({ event_name: 'others', ...compared })],
      value: [{ segment: 'others', isRest: true, ...BOTH }],
    },
    {
      name: 'with segments by event name and an event called "others"',
      question: { eventNames: ['others', 'a'], segmentBy: { attribute: 'event_name' } },
      replies: [rows({ event_name: 'others', ...compared })],
      value: [{ eventName: 'others', segment: 'others', ...BOTH }],
    },
    {
      name: 'with segments that are not text',
      question: { endpoint: 'session', segmentBy: { attribute: 'session_crashed' } },
      replies: [rows({ session_crashed: true, ...compared })],
      value: [{ segment: 'true', ...BOTH }],
    },
    {
      name: 'with events that were not asked for, and one called "others"',
      question: { eventNames: ['others', 'a'] },
      replies: [rows({ event_name: 'b', ...compared }, { event_name: 'others', ...compared })],
      value: [{ eventName: 'others', ...BOTH }],
    },
    {
      name: 'with a null figure',
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

  test('without pagination: a full page is followed by another request', async () => {
    const full = Array.from({ length: 500 }, (_, i) => ({ device_model: `m${i}`, ...compared }));
    const { source, asked } = sourceOf([rows(...full), rows({ device_model: 'last', ...compared })]);
    const result = await source.read(aQuestion({ segmentBy: { attribute: 'device_model' } }));
    expect(result.kind === 'read' && result.value).toHaveLength(501);
    expect(asked.map(({ query }) => query.page)).toEqual(['1', '2']);
  });
});

describe('responses that fail without a retry', () => {
  const refused = (status: number, body: unknown): Reply => ({ status, body });

  test.each<[name: string, reply: Reply, says: string | RegExp]>([
    [
      'the error body of the contract',
      refused(400, {
        success: false,
        data: [],
        error: { code: 'INVALID_FILTER', message: 'filters[0]: no' },
      }),
      'the data access service refused the request (400, INVALID_FILTER: filters[0]: no)',
    ],
    [
      'a detail with code and message',
      refused(403, { detail: { code: 'FORBIDDEN', message: 'not yours' } }),
      /does not accept the API key for this app; check the key and the app id \(403, FORBIDDEN: not yours\)/,
    ],
    [
      'a list of details',
      refused(422, { detail: [{ loc: ['query', 'x'], msg: 'field required' }, 'and more'] }),
      /\(422, field required; and more\)/,
    ],
    ['a detail as text', refused(401, { detail: 'no key' }), /\(401, no key\)/],
    ['an error as text', refused(404, { error: 'gone' }), /\(404, gone\)/],
    ['only a message', refused(404, { message: 'gone' }), /\(404, gone\)/],
    ["a proxy's page", refused(404, '<html>apikey=1</html>'), /request \(404\)$/],
    [
      'an error that quotes the key',
      refused(400, { error: `bad ${KEY} ${encodeURIComponent(KEY)}` }),
      /\(400, bad \*\*\* \*\*\*\)/,
    ],
    [
      'an error that quotes the key where the text is cut',
      refused(400, { error: `${'x'.repeat(295)}${KEY}` }),
      /x\*\*\*\)$/,
    ],
    ['a long error', refused(400, { error: 'x'.repeat(5000) }), /^.{300,400}…\)$/],
    [
      'a redirect',
      { status: 302, headers: { Location: 'https://elsewhere.example.com' } },
      /redirects to another address; correct its URL \(302\)/,
    ],
    ['HTML instead of JSON', { body: '<html>Sign in</html>' }, /is not JSON/],
    ['no data list', { body: { success: true } }, /no list "data"/],
    ['"success": false', { body: { success: false, data: [] } }, /"success": false/],
    ['a missing figure', rows({ sum: 5 }), /a row has no "event_count"; its fields are sum/],
    ['a figure as text', rows({ event_count: '5' }), /"event_count" of a row is not a number/],
    [
      'a previous figure as text',
      rows({ event_count: 5, event_count_previous: '3' }),
      /"event_count_previous" of a row is not a number/,
    ],
    ['a repeated group', rows(compared, compared), /returned two rows for the group/],
    [
      'a Retry-After of an hour',
      { status: 429, headers: { 'Retry-After': '3600' } },
      /limits the call rate \(429\)/,
    ],
  ])('%s', async (_name, reply, says) => {
    const { source, asked } = sourceOf([reply, reply]);
    const result = await source.read(aQuestion());
    expect(result).toMatchObject({
      kind: 'failed',
      reason: typeof says === 'string' ? says : expect.stringMatching(says),
      retryable: reply.status === 429,
    });
    // The service may refuse the page parameter: the interface has it for lists only.
    const isRefusal = reply.status === 400 || reply.status === 422;
    expect(asked.map(({ query }) => query.page)).toEqual(isRefusal ? ['1', undefined] : ['1']);
    expect(JSON.stringify(result)).not.toMatch(/key\/with|key%2Fwith|https?:/);
  });
});

test('a service without funnels says which rules it cannot answer', async () => {
  const { source } = sourceOf([{ status: 404, body: { error: 'unknown endpoint' } }]);
  const funnel = { steps: ['cart', 'pay'], minutes: 60 };
  expect(await source.read(aQuestion({ eventNames: funnel.steps, funnel }))).toMatchObject({
    kind: 'failed',
    reason:
      'the data access service has no funnels of users; remove "within" from the rules (404, unknown endpoint)',
  });
});

describe('readNewestEventAt', () => {
  test.each<{ name: string; reply: Reply; result: object }>([
    {
      name: 'returns the time of the newest event',
      reply: rows({ eventDate: '2026-04-01T10:59:00.500Z' }),
      result: { kind: 'read', value: Date.parse('2026-04-01T10:59:00.500Z') },
    },
    { name: 'returns null without an event', reply: rows(), result: { kind: 'read', value: null } },
    {
      name: 'returns null for an empty map',
      reply: { body: { data: {} } },
      result: { kind: 'read', value: null },
    },
    {
      name: 'fails on an invalid date',
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

test('an invalid base URL is refused', () => {
  expect(() => sourceOf([], { baseUrl: 'analytics' })).toThrow(ConfigError);
});
