import { afterAll, beforeAll, expect, test } from 'vitest';
import { event, type Sample, sample, session, visit } from '../sample-app.ts';

const sessions = ['2026-01-05', '2026-03-02', '2026-04-09'].map((day) =>
  session({ session_id: day, user_id: day, recorded_at: `${day}T10:00:00Z` }),
);
let shop: Sample;
beforeAll(async () => {
  const events = sessions.map((of) => event(of, { event_id: String(of.session_id) }));
  const visits = sessions.map((of) => visit(of));
  shop = await sample({ sessions, events, visits });
});
afterAll(() => shop.close());

const dated = (operator: string, value: string) => [{ attribute: 'date_range', operator, value }];
const DAYS = [
  ['on', '2026-03-02', ['2026-03-02']],
  ['after', '2026-03-01', ['2026-04-09', '2026-03-02']],
  ['after', '2026-03-02T10:00:00Z', ['2026-04-09']],
  ['before', '2026-03-02', ['2026-01-05']],
  ['before', '2026-03-02T10:00:01Z', ['2026-03-02', '2026-01-05']],
  ['before', '2026-01-05', []],
] as const;

test.each(DAYS)('date_range %s %s has the same records and counts in both styles', async (...row) => {
  const [operator, value, found] = row;
  const filters = dated(operator, value);
  for (const [resource, id] of [
    ['event', 'eventId'],
    ['session', 'sessionId'],
    ['user', 'svcUserId'],
  ] as const) {
    const count = `${resource}_count`;
    const legacy = await shop.get(`/v2/${resource}`, { filters });
    expect(legacy.body.data.map((record) => record[id])).toEqual(found);
    const body = await shop.post(`/api/data-access/v1/${resource}`, { filters, page_size: 1 });
    expect(body.body.data.map((record) => record[id])).toEqual(found.slice(0, 1));
    const figures = await shop.get(`/v2/${resource}/analytics`, { filters });
    expect(figures.body.data[0]?.[count] ?? 0).toBe(found.length);
  }
  const screens = await shop.post('/api/data-access/v1/screen/analytics', { filters });
  expect(screens.body.data[0]?.screen_visits ?? 0).toBe(found.length);
});

test('buckets start with the first record if the window has no start', async () => {
  const answer = await shop.get('/v2/session/analytics', {
    filters: dated('before', '2026-03-03'),
    group_by: [{ attribute: 'session_uploaded_month' }],
    aggregation: [{ attribute: 'session_count' }],
  });
  expect(answer.body.data).toEqual([
    { session_uploaded_month: '2026-01', session_count: 1 },
    { session_uploaded_month: '2026-02', session_count: 0 },
    { session_uploaded_month: '2026-03', session_count: 1 },
  ]);
});

test('a page after the last one is empty in a window without a start', async () => {
  const read = async (filters: unknown, page: number) =>
    (await shop.get('/v2/session', { filters, page, page_size: 500 })).body;
  expect(await read(dated('before', '2026-04-10'), 2)).toMatchObject({ data: [], pagination: { total: 3 } });
  expect((await read(dated('before', '2026-04-10'), 1)).data).toHaveLength(3);
});

test('a window up to now works with a cursor', async () => {
  const filters = dated('after', '2026-03-01');
  const first = await shop.post('/api/data-access/v1/session', { filters, page_size: 1 });
  const pagination = first.body.pagination as { next_cursor: string };
  const asked = { filters, page_size: 1, cursor: pagination.next_cursor };
  const second = await shop.post('/api/data-access/v1/session', asked);
  expect(second.body.data.map(({ sessionId }) => sessionId)).toEqual(['2026-03-02']);
  expect(second.body.pagination).toMatchObject({ has_more: false });
});
