import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { appSettingsSchema } from '../../../shared/access/app-settings.ts';
import { KEY, range, reply, type Sample, sample } from './sample-app.ts';

let shop: Sample;
beforeAll(async () => {
  shop = await sample();
});
afterAll(() => shop.close());
// Requests to unknown apps count against the default limit.
beforeEach(() => shop.clock.sleep(1000));

const EVENTS = '/v2/event/analytics';
const SESSIONS = '/v2/session/analytics';
const USERS = '/api/data-access/v1/user';
const USER_ANALYTICS = '/api/data-access/v1/user/analytics';
const FUNNEL = '/api/data-access/v1/funnel';
const RETENTION = '/api/data-access/v1/retention';
const CART = { event_name: 'add_to_cart' };
const LEAST = { metric: 'user_count', operator: 'greater', value: 1 };
const filter = (attribute: string, operator: string, value: unknown, more = {}) => ({
  filters: [{ attribute, operator, value, ...more }],
});

const by = (...attributes: string[]) => ({ group_by: attributes.map((attribute) => ({ attribute })) });
const metrics = (...aggregation: object[]) => ({ aggregation });
const price = (property_name: string) => ({ attribute: 'sum_event_custom_property', property_name });
const MANY_NAMES = Array.from({ length: 1001 }, String);
const DAY = range('2026-03-01', '2026-03-02');
const BUY = { attribute: 'event_name', operator: 'equal', value: 'purchase' };
const PRICE = { name: 'price', operator: 'greater', value: 5 };
/** Only in the zone of the app. */
const INVERTED = { lower: '2026-04-01', upper: '2026-03-31T21:59:00Z' };
const grouped = (...filters: object[]) => ({ filters });
const repeated = (count: number, { filters }: { filters: unknown[] }) => ({
  filters: Array(count).fill(filters[0]),
});

describe('an invalid query', () => {
  type Row = [path: string, parameters: Record<string, unknown>, at: string, message: RegExp];
  const ROWS: Record<string, Row[]> = {
    INVALID_REQUEST: [
      [EVENTS, { most: 5 }, 'most', /unknown field/],
      ['/v2/event', by(), 'group_by', /unknown field/],
      ['/v2/event', { page_size: 501 }, 'page_size', /500/],
      ['/v2/event', { page: 0 }, 'page', /1/],
      ['/v2/event', { page: 'two' }, 'page', /number/],
      ['/v2/event', { page: 0.5 }, 'page', /^not a whole number from 1 to/],
      [EVENTS, { comparison: 2 }, 'comparison', /^not one of 0, 1$/],
      [USER_ANALYTICS, { comparison: true }, 'comparison', /^not one of 0, 1$/],
      [USER_ANALYTICS, { time_zone: 5 }, 'time_zone', /^not a string$/],
      [USER_ANALYTICS, { sort: 'user_count' }, 'sort', /^not a list$/],
      [
        USER_ANALYTICS,
        { having: [{ ...LEAST, operator: 'gt' }] },
        'having[0].operator',
        /^not one of equal, not_/,
      ],
      [USER_ANALYTICS, { having: [{ ...LEAST, metric: 5 }] }, 'having[0].metric', /^not a string$/],
      [USER_ANALYTICS, { having: [5] }, 'having[0]', /^not an object$/],
      [USERS, { show_only: 5 }, 'show_only', /^not a list$/],
      [USERS, { show_only: ['x'] }, 'show_only[0]', /^not one of property, usage, /],
      [FUNNEL, { within_minutes: 1 }, 'steps', /^missing$/],
      [FUNNEL, { within_minutes: 1, steps: ['a', CART] }, 'steps[0]', /^not an object$/],
      [RETENTION, { days: 7 }, 'days', /^not a list$/],
      [RETENTION, { days: [7], start: null }, 'start', /^not an object$/],
    ],
    INVALID_OPERATOR: [
      [SESSIONS, grouped({ did: [{ did: [BUY] }] }), 'filters[0].did[0].operator', /did is no filter here/],
      [SESSIONS, grouped({ any: [{ ...BUY, operator: 'like' }] }), 'filters[0].any[0].operator', /unknown/],
      [
        SESSIONS,
        grouped({ ...BUY, property: { ...PRICE, operator: 'has_any', value: ['a'] } }),
        'filters[0].property.operator',
        /has_any does not fit event_custom_property; use/,
      ],
      [
        EVENTS,
        filter('event_name', 'like', 'x'),
        'filters[0].operator',
        /unknown operator; use equal, not_equal, in, not_in, contains, not_contains$/,
      ],
      [EVENTS, filter('event_name', 'greater', 1), 'filters[0].operator', /use equal, not_equal, in/],
      [EVENTS, filter('date_range', 'not_on', '2026-01-01'), 'filters[0].operator', /use between_dates$/],
    ],
    INVALID_FILTER: [
      [EVENTS, { filters: '[{' }, 'filters', /not valid JSON/],
      [EVENTS, { filters: '{}' }, 'filters', /list/],
      [
        EVENTS,
        filter('event_custom_property', 'equal', 1, { property_name: '' }),
        'filters[0].property_name',
        /^an empty name$/,
      ],
      [SESSIONS, filter('session_uploadedon_day', 'equal', false), 'filters[0].value', /not a date/],
      [EVENTS, filter('event_name', 'equal', 'x', { nonsense: 1 }), 'filters[0].nonsense', /^unknown field$/],
      [
        EVENTS,
        filter('nonsense', 'equal', 1),
        'filters[0].attribute',
        /unknown attribute "nonsense"; use date_range, app_version, .*, event_name, /,
      ],
      [EVENTS, filter('toString', 'equal', 1), 'filters[0].attribute', /unknown attribute/],
      [SESSIONS, filter('event_screen_name', 'equal', 'x'), 'filters[0].attribute', /app_version/],
      [EVENTS, repeated(51, filter('event_name', 'equal', 'a')), 'filters', /over 50 filters/],
      [EVENTS, filter('event_name', 'in', MANY_NAMES), 'filters[0].value', /over 1000 values/],
      [
        EVENTS,
        repeated(3, filter('event_name', 'not_in', Array(667).fill('a'))),
        'filters',
        /2001 values in lists; all filters of a query together may have 2000/,
      ],
      [
        SESSIONS,
        filter('session_uploaded_month', 'in', ['2026-01', '2026-13']),
        'filters[0].value[1]',
        /write YYYY-MM, YYYY-MM-DD or/,
      ],
      [
        SESSIONS,
        filter('session_uploaded_week', 'equal', '2026-01'),
        'filters[0].value',
        /write YYYY-MM-DD or/,
      ],
      [EVENTS, filter('event_name', 'equal', 5), 'filters[0].value', /not a string/],
      [EVENTS, filter('event_name', 'in', []), 'filters[0].value', /empty list/],
      [EVENTS, filter('event_name', 'in', ['a', 5]), 'filters[0].value[1]', /not a string/],
      [SESSIONS, filter('session_duration', 'greater', '5 s'), 'filters[0].value', /not a number/],
      [SESSIONS, filter('session_duration', 'equal', 'Infinity'), 'filters[0].value', /not a number/],
      [SESSIONS, filter('session_crashed', 'equal', 'yes'), 'filters[0].value', /not a boolean/],
      [EVENTS, filter('device_platform', 'equal', 'windows'), 'filters[0].value', /android, ios, web/],
      [EVENTS, filter('device_platform', 'equal', true), 'filters[0].value', /android, ios, web/],
      [EVENTS, filter('event_custom_property', 'equal', 1), 'filters[0].property_name', /needs/],
      [
        EVENTS,
        filter('event_name', 'equal', 'a', { property_name: 'p' }),
        'filters[0].property_name',
        /takes no/,
      ],
      [EVENTS, { filters: [range('2026-02-30', '2026-03-01')] }, 'filters[0].value.lower', /not a date/],
      [EVENTS, { filters: [range('2026-03-02', '2026-03-01')] }, 'filters[0].value', /lower is after/],
      [EVENTS, { filters: [range('2026-03-02', '1726-03-01')] }, 'filters[0].value.upper', /1970/],
      [EVENTS, { filters: [DAY, DAY] }, 'filters[1].attribute', /second date_range/],
      [SESSIONS, filter('session_uploadedon_day', 'on', 'monday'), 'filters[0].value', /not a date/],
      [SESSIONS, grouped({ any: [] }), 'filters[0].any', /empty list/],
      [SESSIONS, grouped({ any: 'ios' }), 'filters[0].any', /not a list of filters/],
      [SESSIONS, grouped({ any: [BUY, { any: [BUY] }] }), 'filters[0].any[1]', /^any within any; list/],
      [SESSIONS, grouped({ any: [{ ...BUY, value: 5 }] }), 'filters[0].any[0].value', /not a string/],
      [SESSIONS, grouped({ any: [BUY, DAY] }), 'filters[0].any[1].attribute', /window of the whole query/],
      [SESSIONS, grouped({ did: [DAY] }), 'filters[0].did[0].attribute', /window of the whole query/],
      [SESSIONS, grouped({ did_not: [BUY], extra: 1 }), 'filters[0].extra', /unknown field/],
      [EVENTS, grouped({ any: Array(50).fill(BUY) }, BUY), 'filters', /over 50 filters/],
      [
        EVENTS,
        grouped({ any: Array(3).fill({ ...BUY, operator: 'in', value: Array(667).fill('a') }) }),
        'filters',
        /2001 values in lists/,
      ],
      [EVENTS, grouped({ ...BUY, property: PRICE }), 'filters[0].property', /unknown field/],
      [SESSIONS, grouped({ ...BUY, attribute: 5 }), 'filters[0].attribute', /^not a string$/],
      [SESSIONS, grouped({ any: [{ ...DAY, value: 5 }] }), 'filters[0].any[0].value', /^not an object$/],
      [SESSIONS, grouped({ ...BUY, property: null }), 'filters[0].property', /^not an object$/],
      [
        SESSIONS,
        grouped({ ...BUY, property: { ...PRICE, value: undefined } }),
        'filters[0].property.value',
        /^missing$/,
      ],
      [
        SESSIONS,
        grouped({ ...BUY, property: { ...PRICE, name: undefined } }),
        'filters[0].property.name',
        /^missing$/,
      ],
      [
        SESSIONS,
        grouped({ ...BUY, operator: 'not_in', value: ['a'], property: PRICE }),
        'filters[0]',
        /only fits/,
      ],
      [
        SESSIONS,
        grouped({ ...BUY, property: { ...PRICE, name: '' } }),
        'filters[0].property.name',
        /empty name/,
      ],
      [
        SESSIONS,
        grouped({ ...BUY, property: { ...PRICE, value: 'x' } }),
        'filters[0].property.value',
        /not a number/,
      ],
      [
        SESSIONS,
        grouped({
          any: [{ attribute: 'session_uploadedon_day', operator: 'between_dates', value: INVERTED }],
        }),
        'filters[0].any[0].value',
        /lower is after upper in Europe/,
      ],
    ],
    INVALID_GROUP_BY: [
      [SESSIONS, by('country'), 'group_by[0].attribute', /unknown attribute "country"; use .*device_country/],
      [EVENTS, by('session_duration'), 'group_by[0].attribute', /grouped/],
      [SESSIONS, by('event_name'), 'group_by[0].attribute', /grouped/],
      [
        EVENTS,
        { group_by: [{ attribute: 'event_name', max_group_number: 1001 }] },
        'group_by[0].max_group_number',
        /1000/,
      ],
      [
        EVENTS,
        by('app_version', 'sdk_version', 'event_name', 'device_model', 'device_id'),
        'group_by',
        /over 4/,
      ],
      [EVENTS, by('event_name', 'event_name'), 'group_by[1].attribute', /twice/],
    ],
    INVALID_AGGREGATION: [
      [
        EVENTS,
        { comparison: 1, ...metrics(price('price_previous'), price('price')) },
        'aggregation[0].property_name',
        /sum_event_custom_property_price_previous is also a field that comparison adds/,
      ],
      [EVENTS, metrics({ attribute: 'clicks' }), 'aggregation[0].attribute', /event_count/],
      [
        SESSIONS,
        metrics({ attribute: 'avg_session_duration', operator: 'sum' }),
        'aggregation[0].operator',
        /conflicts/,
      ],
      [SESSIONS, metrics({ attribute: 'session_duration' }), 'aggregation[0].operator', /needs one of/],
      [
        SESSIONS,
        metrics({ attribute: 'session_count', operator: 'avg' }),
        'aggregation[0].operator',
        /only be counted/,
      ],
    ],
  };
  const rows = Object.entries(ROWS).flatMap(([code, each]) => each.map((row) => [code, ...row] as const));
  test.each(rows)('%s: %s %j at %s', async (code, path, parameters, at, message) => {
    const isLegacy = path.startsWith('/v2');
    const { status, body, headers } = await (isLegacy ? shop.get : shop.post)(path, parameters);
    expect(status).toBe(400);
    expect(body).toMatchObject({ success: false, data: [], error: { code } });
    expect(body.error?.details).toEqual([{ path: at, message: expect.stringMatching(message) }]);
    expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is refused for hours over decades, with the number of rows', async () => {
    const asked = {
      filters: [range('1990-01-01', '2026-01-01')],
      group_by: [{ attribute: 'event_uploadedon_hour' }],
    };
    const { status, body } = await shop.get(EVENTS, asked);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: 'INVALID_GROUP_BY',
      message: expect.stringContaining('315,600 rows'),
    });
  });

  test('is refused for a repeated parameter', async () => {
    const response = await shop.app.request(`${EVENTS}?appid=shop&apikey=${KEY}&comparison=0&comparison=1`);
    expect((await reply(response)).body.error).toMatchObject({ details: [{ path: 'comparison' }] });
  });
});

describe('an invalid body', () => {
  const rows: [path: string, body: Record<string, unknown>, code: string, at: string][] = [
    [USERS, { sort: 'asc' }, 'INVALID_REQUEST', 'sort'],
    [USERS, { page_size: 2001 }, 'INVALID_REQUEST', 'page_size'],
    [USERS, { page_size: 0 }, 'INVALID_REQUEST', 'page_size'],
    [USERS, { show_only: ['sessions'] }, 'INVALID_REQUEST', 'show_only[0]'],
    [USERS, { cursor: 5 }, 'INVALID_CURSOR', 'cursor'],
    [USERS, { cursor: 'abc.def' }, 'INVALID_CURSOR', 'cursor'],
    [USERS, filter('user_first_seen_on', 'greater', 1), 'INVALID_OPERATOR', 'filters[0].operator'],
    [
      USER_ANALYTICS,
      filter('user_first_seen_on', 'on', '2026-01-01'),
      'INVALID_FILTER',
      'filters[0].attribute',
    ],
    [
      USER_ANALYTICS,
      filter('user_last_seen_on', 'on', '2026-01-01'),
      'INVALID_FILTER',
      'filters[0].attribute',
    ],
    [USER_ANALYTICS, { show_only: ['usage'] }, 'INVALID_REQUEST', 'show_only'],
    [
      USER_ANALYTICS,
      { aggregation: [{ attribute: 'session_count' }] },
      'INVALID_AGGREGATION',
      'aggregation[0].attribute',
    ],
  ];
  test.each(rows)('%s %j is %s at %s', async (path, body, code, at) => {
    const answer = await shop.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code, details: [{ path: at }] });
  });

  const send = (init: RequestInit, path = USERS) => shop.app.request(path, { method: 'POST', ...init });
  const credentials = { 'X-Api-Key': KEY };
  const json = { ...credentials, 'Content-Type': 'application/json' };
  const cases: [name: string, init: RequestInit, status: number, code: string][] = [
    ['text that is not JSON', { headers: json, body: '{' }, 400, 'INVALID_REQUEST'],
    ['a list', { headers: json, body: '[]' }, 400, 'INVALID_REQUEST'],
    ['no app', { headers: json, body: '{}' }, 400, 'INVALID_REQUEST'],
    ['another media type', { headers: credentials, body: '{}' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'invalid UTF-8',
      { headers: json, body: Buffer.from('{"app_id":"sh\xffop"}', 'latin1') },
      400,
      'INVALID_REQUEST',
    ],
    ['300 kB', { headers: json, body: `"${'x'.repeat(300_000)}"` }, 413, 'PAYLOAD_TOO_LARGE'],
  ];
  test.each(cases)('is refused: %s', async (_, init, status, code) => {
    const answer = await reply(await send(init));
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  });
});

test.each(['keys', 'Keys'])('an app cannot have the name of the key file: %s', (id) => {
  expect(appSettingsSchema.safeParse({ id, name: 'Shop' }).success).toBe(false);
});
