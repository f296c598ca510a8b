import { describe, expect, test } from 'vitest';
import { type Columns, closingSamples, event, range, session } from '../sample-app.ts';

const EVENTS = '/v2/event/analytics';
const SESSIONS = '/v2/session/analytics';

const shopWith = closingSamples();

const by = (...attributes: string[]) => attributes.map((attribute) => ({ attribute }));
const on = (day: string, count: number, columns: Columns = {}) =>
  Array.from({ length: count }, () => session({ ...columns, recorded_at: `${day}T10:00:00Z` }));
const counts = (rows: readonly Record<string, unknown>[], ...fields: string[]) =>
  rows.map((row) => fields.map((field) => row[field]));

describe('metrics', () => {
  test('events have default metrics, and sums ignore values that are not numbers', async () => {
    const [a, b] = [session({ user_id: 'u' }), session({ user_id: 'u' })];
    const shop = await shopWith({
      sessions: [a, b],
      events: [
        event(a, { properties: { price: 4 } }),
        event(a, { properties: { price: 1.5 } }),
        event(b, { properties: { price: '100' } }),
      ],
    });
    const { body } = await shop.get(EVENTS);
    expect(body).toEqual({
      success: true,
      data: [{ event_count: 3, event_unique_user_count: 1, event_unique_session_count: 2 }],
      pagination: { current: 1, next: null, total: 1 },
    });
    const operations = ['sum', 'avg', 'min', 'max'];
    const aggregation = operations.map((operator) => ({
      attribute: 'event_custom_property',
      property_name: 'price',
      operator,
    }));
    expect((await shop.get(EVENTS, { aggregation })).body.data).toEqual([
      {
        sum_event_custom_property_price: 5.5,
        avg_event_custom_property_price: 2.75,
        min_event_custom_property_price: 1.5,
        max_event_custom_property_price: 4,
      },
    ]);
  });

  test('percentiles interpolate between numbers, and are compared with the previous period', async () => {
    const before = session({ recorded_at: '2026-03-01T10:00:00Z' });
    const now = session({ recorded_at: '2026-03-02T10:00:00Z', duration_sec: 10 });
    const prices = (of: Columns, ...all: unknown[]) =>
      all.map((price) => event(of, { recorded_at: String(of.recorded_at), properties: { price } }));
    const shop = await shopWith({
      sessions: [before, now],
      events: [...prices(before, 10, 30), ...prices(now, 4, 1, 3, 2, '100')],
    });
    const price = { attribute: 'event_custom_property', property_name: 'price' };
    const { body } = await shop.get(EVENTS, {
      filters: [range('2026-03-02', '2026-03-02')],
      aggregation: [
        { ...price, operator: 'p50' },
        { ...price, attribute: `p90_${price.attribute}` },
      ],
      comparison: 1,
    });
    expect(body.data).toEqual([
      {
        p50_event_custom_property_price: 2.5,
        p50_event_custom_property_price_previous: 20,
        p50_event_custom_property_price_pct_change: -87.5,
        p90_event_custom_property_price: expect.closeTo(3.7, 12),
        p90_event_custom_property_price_previous: expect.closeTo(28, 12),
        p90_event_custom_property_price_pct_change: -86.79,
      },
    ]);
  });

  test('are zero without data', async () => {
    const shop = await shopWith({});
    expect(
      (await shop.get(SESSIONS, { aggregation: by('session_count', 'avg_session_duration') })).body.data,
    ).toEqual([{ session_count: 0, avg_session_duration: 0 }]);
    expect((await shop.get(SESSIONS, { group_by: by('device_platform') })).body.data).toEqual([]);
  });
});

describe('groups', () => {
  test('are sorted by size, then by key with null last', async () => {
    const shop = await shopWith({
      sessions: [
        ...on('2026-04-01', 2, { country: 'Peru' }),
        ...on('2026-04-01', 1, { country: 'Chad' }),
        ...on('2026-04-01', 1),
        ...on('2026-04-01', 1, { country: 'Cuba' }),
      ],
    });
    const { body } = await shop.get(SESSIONS, {
      group_by: by('device_country'),
      aggregation: by('session_count'),
    });
    expect(counts(body.data, 'device_country', 'session_count')).toEqual([
      ['Peru', 2],
      ['Chad', 1],
      ['Cuba', 1],
      [null, 1],
    ]);
  });

  test('beyond the maximum are folded into others, which counts each user once', async () => {
    const visits = (country: string, users: string[]) =>
      users.map((user_id) => session({ country, user_id, session_number: 2 }));
    const shop = await shopWith({
      sessions: [
        ...visits('Peru', ['a', 'b', 'c', 'd']),
        ...visits('Chad', ['a', 'b', 'b']),
        ...visits('Cuba', ['a', 'b']),
        ...visits('Fiji', ['a']),
        // A country with the name of the fold must not get a row of its own.
        ...visits('others', ['a', 'a', 'a', 'a', 'a']),
      ],
    });
    const { body } = await shop.get(SESSIONS, {
      group_by: [{ attribute: 'device_country', max_group_number: 2 }],
      aggregation: by('session_count', 'session_unique_user_count'),
    });
    expect(counts(body.data, 'device_country', 'session_count', 'session_unique_user_count')).toEqual([
      ['others', 8, 2],
      ['Peru', 4, 4],
      ['Chad', 3, 2],
    ]);
  });
});

describe('comparison', () => {
  const asked = (more: object = {}) => ({
    filters: [range('2026-04-03', '2026-04-04')],
    aggregation: by('session_count'),
    comparison: 1,
    ...more,
  });

  test('has percentages with two decimals, and null for a previous value of zero', async () => {
    const shop = await shopWith({
      sessions: [...on('2026-04-01', 3), ...on('2026-04-03', 4), ...on('2026-03-31', 9)],
    });
    const row = { session_count: 4, session_count_pct_change: 33.33, session_count_previous: 3 };
    expect((await shop.get(SESSIONS, asked())).body.data).toEqual([row]);
    const before = asked({ filters: [range('2026-03-31', '2026-03-31')] });
    expect((await shop.get(SESSIONS, before)).body.data).toEqual([
      { session_count: 9, session_count_pct_change: null, session_count_previous: 0 },
    ]);
  });

  test('matches time buckets by position, with null for missing positions', async () => {
    const shop = await shopWith({
      sessions: [...on('2026-04-01', 1), ...on('2026-04-02', 4), ...on('2026-04-04', 2)],
    });
    const fields = [
      'session_uploadedon_day',
      'session_count',
      'session_count_previous',
      'session_count_pct_change',
    ];
    const days = await shop.get(SESSIONS, asked({ group_by: by('session_uploadedon_day') }));
    expect(counts(days.body.data, ...fields)).toEqual([
      ['2026-04-03', 0, 1, -100],
      ['2026-04-04', 2, 4, -50],
    ]);
    // Sunday to Thursday are in two weeks; the five days before, Tuesday to Saturday, are in one.
    const weeks = asked({
      filters: [range('2026-04-05', '2026-04-09')],
      group_by: by('session_uploaded_week'),
    });
    expect(
      counts((await shop.get(SESSIONS, weeks)).body.data, 'session_uploaded_week', 'session_count_previous'),
    ).toEqual([
      ['2026-03-30', 7],
      ['2026-04-06', null],
    ]);
  });
});

describe('the current time', () => {
  test('hides data that are uploaded later, even in past windows', async () => {
    const late = session({
      recorded_at: '2026-04-09T10:00:00Z',
      uploaded_at: '2026-04-10T12:00:00.001Z',
      country: 'Peru',
    });
    const prompt = session({ recorded_at: '2026-04-09T10:00:00Z', uploaded_at: '2026-04-10T12:00:00Z' });
    const shop = await shopWith({ sessions: [late, prompt], events: [event(late), event(prompt)] });
    const read = async () => {
      const sessions = await shop.get(SESSIONS, { aggregation: by('session_count') });
      const events = await shop.get(EVENTS, {
        group_by: by('device_country'),
        aggregation: by('event_count'),
      });
      return [sessions.body.data[0]?.session_count, events.body.data.length];
    };
    expect(await read()).toEqual([1, 1]);
    await shop.clock.sleep(1);
    expect(await read()).toEqual([2, 2]);
  });

  test('does not hide the session of an uploaded event', async () => {
    const first = session({ user_id: 'u', utm: 'spring', recorded_at: '2026-04-08T10:00:00Z' });
    const running = session({
      user_id: 'u',
      session_number: 2,
      uploaded_at: '2026-04-11T00:00:00Z',
      platform: 'ios',
    });
    const shop = await shopWith({
      sessions: [first, running],
      events: [event(running, { recorded_at: '2026-04-09T10:00:00Z' })],
    });
    const { body } = await shop.get(EVENTS, {
      group_by: by('device_platform', 'user_first_utm'),
      aggregation: by('event_count'),
    });
    expect(body.data).toEqual([{ device_platform: 'ios', user_first_utm: 'spring', event_count: 1 }]);
  });
});

describe('pages of rows', () => {
  test('contain all rows unless a page is requested', async () => {
    const sessions = Array.from({ length: 3 }, (_, at) => session({ city: `c${at}` }));
    const shop = await shopWith({ sessions });
    const asked = { group_by: by('device_city'), aggregation: by('session_count') };
    const pages = await Promise.all([
      shop.get(SESSIONS, asked),
      shop.get(SESSIONS, { ...asked, page_size: 2 }),
      shop.get(SESSIONS, { ...asked, page: 2, page_size: 2 }),
    ]);
    expect(pages.map(({ body }) => [body.data.map((row) => row.device_city), body.pagination])).toEqual([
      [['c0', 'c1', 'c2'], { current: 1, next: null, total: 3 }],
      [['c0', 'c1'], { current: 1, next: 2, total: 3 }],
      [['c2'], { current: 2, next: null, total: 3 }],
    ]);
  });
});
