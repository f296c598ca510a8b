import { describe, expect, test } from 'vitest';
import { type Columns, closingSamples, range, session } from '../sample-app.ts';

const SESSIONS = '/v2/session/analytics';
const shopWith = closingSamples();

const sessionsOf = (country: string | null, count: number, columns: Columns = {}) =>
  Array.from({ length: count }, () => session({ country, ...columns }));
const march = (day: number) => ({ recorded_at: `2026-03-0${day}T10:00:00Z` });

const COUNTED = {
  filters: [range('2026-03-02', '2026-03-02')],
  group_by: [{ attribute: 'device_country' }],
  aggregation: [{ attribute: 'session_count' }],
};
const byCountry = () =>
  shopWith({
    sessions: [
      ...sessionsOf('Chile', 1, march(1)),
      ...sessionsOf('Chile', 3, march(2)),
      ...sessionsOf('Austria', 4, march(1)),
      ...sessionsOf('Austria', 2, march(2)),
      ...sessionsOf(null, 2, march(2)),
      ...sessionsOf('Brazil', 1, march(2)),
    ],
  });

describe('sort, having and limit', () => {
  test.each([
    [
      'by a metric, equal rows as before',
      { sort: [{ metric: 'session_count', direction: 'asc' }] },
      ['Brazil', 'Austria', null, 'Chile'],
    ],
    [
      'by a key, the missing one last',
      { sort: [{ attribute: 'device_country', direction: 'asc' }] },
      ['Austria', 'Brazil', 'Chile', null],
    ],
    [
      'downwards, the missing key last too',
      { sort: [{ attribute: 'device_country', direction: 'desc' }] },
      ['Chile', 'Brazil', 'Austria', null],
    ],
    [
      'by a second field where the first is equal',
      {
        sort: [
          { metric: 'session_count', direction: 'desc' },
          { attribute: 'device_country', direction: 'desc' },
        ],
      },
      ['Chile', 'Austria', null, 'Brazil'],
    ],
    ['the first rows', { limit: 2 }, ['Chile', 'Austria']],
    [
      'rows that meet conditions',
      { having: [{ metric: 'session_count', operator: 'less', value: 3 }] },
      ['Austria', null, 'Brazil'],
    ],
    [
      'the greatest falls since the previous period',
      { comparison: 1, sort: [{ metric: 'session_count_pct_change', direction: 'asc' }], limit: 1 },
      ['Austria'],
    ],
    [
      'groups within `others` cannot be found again',
      {
        group_by: [{ attribute: 'device_country', max_group_number: 1 }],
        having: [{ metric: 'session_count', operator: 'greater', value: 4 }],
      },
      ['others'],
    ],
  ])('%s', async (_, order, expected) => {
    const shop = await byCountry();
    const { body } = await shop.get(SESSIONS, { ...COUNTED, ...order });
    expect(body.data.map((row) => row.device_country)).toEqual(expected);
  });

  test('come before the pages, whose total counts the rows that are left', async () => {
    const shop = await byCountry();
    const order = {
      sort: [{ attribute: 'device_country', direction: 'desc' }],
      limit: 3,
      page: 2,
      page_size: 2,
    };
    const { body } = await shop.post('/api/data-access/v1/session/analytics', { ...COUNTED, ...order });
    expect(body.data.map((row) => row.device_country)).toEqual(['Austria']);
    expect(body.pagination).toEqual({ current: 2, next: null, total: 3 });
  });

  test('see empty buckets as rows of zeros, in the order of time, also when the clock goes back', async () => {
    const shop = await shopWith({
      sessions: [session({ recorded_at: '2026-10-25T00:30:00Z', uploaded_at: '2026-03-01T00:00:00Z' })],
    });
    const asked = {
      filters: [range('2026-10-25T00:00:00Z', '2026-10-25T03:00:00Z')],
      group_by: [{ attribute: 'session_uploadedon_hour' }],
      aggregation: [{ attribute: 'session_count' }],
      sort: [{ attribute: 'session_uploadedon_hour', direction: 'desc' }],
    };
    const hours = async (more: object) =>
      (await shop.get(SESSIONS, { ...asked, ...more })).body.data.map((row) => row.session_uploadedon_hour);
    const late = ['2026-10-25T03:00:00+01:00', '2026-10-25T02:00:00+01:00'];
    expect(await hours({})).toEqual([...late, '2026-10-25T02:00:00+02:00']);
    expect(await hours({ having: [{ metric: 'session_count', operator: 'equal', value: 0 }] })).toEqual(late);
  });

  test.each([
    [
      { sort: [{ metric: 'user_count', direction: 'asc' }] },
      'sort[0].metric: not a field of the rows; they have session_count',
    ],
    [
      { sort: [{ metric: 'session_count_previous', direction: 'asc' }] },
      'sort[0].metric: not a field of the rows; they have session_count',
    ],
    [
      { sort: [{ attribute: 'app_version', direction: 'asc' }] },
      'sort[0].attribute: not a field of the rows; they have device_country',
    ],
    [
      { sort: [{ metric: 'session_count', direction: 'up' }] },
      'sort[0]: not an object with attribute or metric, and direction asc or desc',
    ],
    [
      { having: [{ metric: 'count', operator: 'less', value: 1 }] },
      'having[0].metric: not a field of the rows; they have session_count',
    ],
    [{ limit: 10_001 }, 'limit: not a whole number from 1 to 10000'],
  ])('refuse %j', async (order, message) => {
    const shop = await shopWith({});
    const { status, body } = await shop.get(SESSIONS, { ...COUNTED, ...order });
    expect([status, body.error?.code, body.error?.message]).toEqual([400, 'INVALID_REQUEST', message]);
  });
});

describe('buckets shorter than an hour', () => {
  test('count each session in its quarter of an hour, from the rows', async () => {
    const shop = await shopWith({
      sessions: [
        session({ recorded_at: '2026-03-29T00:59:59Z' }),
        session({ recorded_at: '2026-03-29T01:00:00Z' }),
      ],
    });
    const { body } = await shop.get(SESSIONS, {
      filters: [range('2026-03-29T00:45:00Z', '2026-03-29T01:15:00Z')],
      group_by: [{ attribute: 'session_uploadedon_quarter_hour' }],
      aggregation: [{ attribute: 'session_count' }],
    });
    expect(body.data).toEqual([
      { session_uploadedon_quarter_hour: '2026-03-29T01:45:00+01:00', session_count: 1 },
      { session_uploadedon_quarter_hour: '2026-03-29T03:00:00+02:00', session_count: 1 },
    ]);
  });

  test('are refused with their number if the window is too long', async () => {
    const shop = await shopWith({});
    const { body } = await shop.get(SESSIONS, { group_by: [{ attribute: 'session_uploadedon_minute' }] });
    expect(body.error?.message).toBe('group_by produces 43,200 rows; the maximum is 10,000');
  });
});

describe('time_zone', () => {
  const late = { recorded_at: '2026-03-02T23:30:00Z' };

  test('moves windows, buckets and comparison, and is read from the sums of hours where they fit', async () => {
    const shop = await shopWith({ sessions: [session(late)], zone: 'UTC' });
    const days = async (time_zone: string) => {
      const asked = {
        ...{ filters: [range('2026-03-03', '2026-03-03')], comparison: 1, time_zone },
        ...{
          group_by: [{ attribute: 'session_uploadedon_day' }],
          aggregation: [{ attribute: 'session_count' }],
        },
      };
      const [row] = (await shop.get(SESSIONS, asked)).body.data;
      return [row?.session_count, row?.session_count_previous];
    };
    expect(await days('UTC')).toEqual([0, 1]);
    expect(await days('Europe/Berlin')).toEqual([1, 0]);
    expect(await days('Asia/Kathmandu')).toEqual([1, 0]);
  });

  test('moves the window of a list, and its local times', async () => {
    const shop = await shopWith({ sessions: [session(late)], zone: 'UTC' });
    const asked = { filters: [range('2026-03-03', '2026-03-03')] };
    expect((await shop.get('/v2/session', asked)).body.data).toEqual([]);
    const { body } = await shop.post('/api/data-access/v1/session', { ...asked, time_zone: 'Asia/Kolkata' });
    expect(body.data).toMatchObject([{ property: { deviceLocalDateTime: '2026-03-03T05:00:00.000+05:30' } }]);
  });

  test.each(['Mars/Phobos', '+02:00', ''])('is refused as "%s"', async (time_zone) => {
    const shop = await shopWith({});
    const { status, body } = await shop.get('/v2/session', { time_zone });
    const message = 'time_zone: not an IANA time zone; use a name such as Europe/Berlin';
    expect([status, body.error?.message]).toEqual([400, message]);
  });
});
