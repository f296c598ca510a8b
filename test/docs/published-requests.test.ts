import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { event, type Sample, sample, session } from '../functions/data-access/sample-app.ts';

// The distinct requests that the vendor of the interface publishes as examples: its Postman collection and its pages.
// Credentials are left out; `svcuserid` has another name there.

const is = (attribute: string, operator: string, value: unknown, more = {}) => {
  return { attribute, operator, value, ...more };
};
type Request = Record<string, unknown>;

const ANSWERED: Record<string, Request[]> = {
  '/v2/user': [
    {},
    { page: 1, page_size: 30 },
    {
      filters: [is('date_range', 'between_dates', { lower: '2023-01-01', upper: '2023-01-19' })],
      page: 1,
      page_size: 25,
    },
    { filters: [is('user_first_seen_on', 'after', '2023-01-01')], page: 1, page_size: 25 },
    { filters: [is('app_version', 'equal', '1.5')], page: 1, page_size: 25 },
    { filters: [is('user_session_count', 'greater', 10)], page: 1, page_size: 25 },
    { page: 1, page_size: 20 },
    {
      filters: [is('session_screen_list', 'has_any', ['OrderConfirmationActivity'])],
      page: 1,
      page_size: 20,
    },
    { filters: [is('event_name', 'in', ['UI Freeze'])], page: 1, page_size: 20 },
    { filters: [is('app_version', 'equal', '1.5')], page: 1, page_size: 20 },
    { filters: [is('device_platform', 'equal', '1')], page: 1, page_size: 20 },
    { filters: [is('device_platform', 'equal', '2')], page: 1, page_size: 20 },
    { filters: [is('device_manufacturer', 'in', ['Samsung', 'Sony'])], page: 1, page_size: 20 },
    { filters: [is('user_rage_gesture_count', 'greater', '10')], page: 1, page_size: 20 },
    {
      filters: [is('user_session_count', 'greater', 10), is('user_session_duration', 'greater', 1800)],
      page: 1,
      page_size: 20,
    },
    { filters: [is('user_first_seen_on', 'after', '2023-01-01')], page: 1, page_size: 100 },
    {
      filters: [
        is('user_first_seen_on', 'after', '2023-01-01'),
        is('user_rage_gesture_count', 'greater', '10'),
      ],
      page: 1,
      page_size: 50,
    },
    {
      filters: [is('user_first_seen_on', 'after', '2023-01-01'), is('device_country', 'equal', 'USA')],
      page: 1,
      page_size: 100,
    },
    {
      filters: [is('user_custom_property', 'in', ['20-29'], { property_name: 'age_group' })],
      page: 1,
      page_size: 20,
    },
    {
      filters: [
        is('event_name', 'in', ['Add to cart'], {
          property: { name: 'price', operator: 'greater', value: '10' },
        }),
      ],
      page: 1,
      page_size: 20,
    },
    { page: 1, page_size: 50 },
    { filters: [is('device_country', 'equal', 'USA')] },
  ],
  '/v2/session': [
    {},
    { page: 1, page_size: 30 },
    {
      filters: [is('date_range', 'between_dates', { lower: '2023-01-01', upper: '2023-01-19' })],
      page: 1,
      page_size: 25,
    },
    { filters: [is('device_manufacturer', 'contains', 'S')], page: 1, page_size: 25 },
    { filters: [is('session_duration', 'less', 60)], page: 1, page_size: 25 },
    {
      filters: [is('session_screen_list', 'has_any', ['OrderConfirmationActivity'])],
      page: 1,
      page_size: 20,
    },
    { filters: [is('event_name', 'in', ['UI Freeze'])], page: 1, page_size: 20 },
    { filters: [is('device_platform', 'equal', '1')], page: 1, page_size: 20 },
    { filters: [is('device_platform', 'equal', '2')], page: 1, page_size: 20 },
    { filters: [is('app_version', 'equal', '1.5')], page: 1, page_size: 20 },
    { filters: [is('device_manufacturer', 'in', ['Samsung', 'Sony'])], page: 1, page_size: 20 },
    { filters: [is('session_number_of_user', 'equal', 1)], page: 1, page_size: 20 },
    { filters: [is('session_crashed', 'equal', true)], page: 1, page_size: 20 },
    {
      filters: [is('user_custom_property', 'in', ['20-29'], { property_name: 'age_group' })],
      page: 1,
      page_size: 20,
    },
    {
      filters: [
        is('event_name', 'in', ['Add to cart'], {
          property: { name: 'price', operator: 'greater', value: '10' },
        }),
      ],
      page: 1,
      page_size: 20,
    },
    { page: 1, page_size: 50 },
    { filters: [is('device_country', 'equal', 'USA')] },
    { filters: [is('device_class', 'equal', 'Android Large')], page: 1, page_size: 20 },
    {
      filters: [is('date_range', 'between_dates', { lower: '2024-01-01', upper: '2024-01-31' })],
      page: 1,
      page_size: 100,
    },
    { filters: [is('svcuserid', 'equal', '60f7dd46972a633e88696d6b')] },
    { page: 2, page_size: 100 },
    { filters: [is('device_country', 'equal', 'USA'), is('session_duration', 'greater', 60)] },
    {
      filters: [
        is('date_range', 'between_dates', { lower: '2024-01-01T00:00:00Z', upper: '2024-01-31T23:59:59Z' }),
      ],
    },
  ],
  '/v2/event': [
    {},
    { page: 1, page_size: 30 },
    { filters: [is('device_manufacturer', 'not_contains', 'S')], page: 1, page_size: 25 },
    { filters: [is('event_screen_name', 'in', ['OrderConfirmationActivity'])], page: 1, page_size: 20 },
    { filters: [is('app_version', 'equal', '1.5')], page: 1, page_size: 20 },
    { filters: [is('device_platform', 'equal', '1')], page: 1, page_size: 20 },
    { filters: [is('device_platform', 'equal', '2')], page: 1, page_size: 20 },
    { filters: [is('session_has_video', 'equal', true)], page: 1, page_size: 20 },
    { filters: [is('session_crashed', 'equal', true)], page: 1, page_size: 20 },
    {
      filters: [is('event_custom_property', 'in', ['Paypal', 'Cash'], { property_name: 'payment_method' })],
      page: 1,
      page_size: 20,
    },
    {
      filters: [is('user_custom_property', 'in', ['20-29'], { property_name: 'age_group' })],
      page: 1,
      page_size: 20,
    },
    { page: 1, page_size: 50 },
    { filters: [is('device_platform', 'equal', '1')] },
  ],
  '/v2/user/analytics': [
    {},
    { filters: [is('device_manufacturer', 'in', ['Samsung', 'Sony'])], page: 1, page_size: 25 },
    { filters: [is('user_session_count', 'greater', 10)], page: 1, page_size: 25 },
    { group_by: [{ attribute: 'device_manufacturer' }], page: 1, page_size: 25 },
    {
      group_by: [{ attribute: 'device_manufacturer' }, { attribute: 'device_model' }],
      page: 1,
      page_size: 25,
    },
    {
      group_by: [{ attribute: 'user_custom_property', property_name: 'alias', max_group_number: 100 }],
      page: 1,
      page_size: 100,
    },
    { page: 1, page_size: 25 },
    {
      group_by: [{ attribute: 'device_model' }],
      aggregation: [
        { attribute: 'user_count', operator: '' },
        { attribute: 'user_rage_gesture_count', operator: 'max' },
      ],
      page: 1,
      page_size: 25,
    },
    { comparison: 1, page: 1, page_size: 25 },
    { group_by: [{ attribute: 'session_uploadedon_day' }], page: 1, page_size: 20 },
    {
      filters: [is('event_name', 'in', ['UI Freeze'])],
      group_by: [{ attribute: 'app_version' }, { attribute: 'device_model' }],
      page: 1,
      page_size: 20,
    },
    { group_by: [{ attribute: 'session_uploaded_week' }], page: 1, page_size: 20 },
    {
      filters: [is('session_screen_list', 'has_any', ['OrderConfirmationActivity'])],
      group_by: [{ attribute: 'session_uploaded_week' }],
      page: 1,
      page_size: 20,
    },
    {
      filters: [is('app_version', 'equal', '1.5')],
      group_by: [{ attribute: 'device_platform' }],
      page: 1,
      page_size: 20,
    },
    { group_by: [{ attribute: 'device_manufacturer' }], page: 1, page_size: 20 },
    {
      filters: [is('user_session_count', 'greater', 10), is('user_session_duration', 'greater', 1800)],
      page: 1,
      page_size: 20,
    },
    {
      filters: [is('user_custom_property', 'in', ['20-29'], { property_name: 'age_group' })],
      page: 1,
      page_size: 20,
    },
    {
      filters: [
        is('event_name', 'in', ['Add to cart'], {
          property: { name: 'price', operator: 'greater', value: '10' },
        }),
      ],
      page: 1,
      page_size: 20,
    },
    {
      group_by: [{ attribute: 'session_uploadedon_day' }],
      aggregation: [
        { attribute: 'user_session_duration', operator: 'avg' },
        { attribute: 'user_rage_gesture_count', operator: 'max' },
      ],
      page: 1,
      page_size: 20,
    },
    {
      group_by: [{ attribute: 'device_model' }],
      aggregation: [{ attribute: 'user_rage_gesture_count', operator: 'sum' }],
      page: 1,
      page_size: 20,
    },
    { page: 1, page_size: 100 },
    {
      filters: [is('device_country', 'equal', 'USA')],
      group_by: [{ attribute: 'device_model', max_group_number: 50 }],
      page: 1,
      page_size: 100,
    },
  ],
  '/v2/session/analytics': [
    {},
    { filters: [is('device_manufacturer', 'not_in', ['Samsung', 'Sony'])], page: 1, page_size: 25 },
    { filters: [is('session_rage_gesture_count', 'greater_or_equal', 5)], page: 1, page_size: 25 },
    { group_by: [{ attribute: 'device_manufacturer' }], page: 1, page_size: 25 },
    { group_by: [{ attribute: 'user_custom_property', property_name: 'age_group' }], page: 1, page_size: 25 },
    { page: 1, page_size: 25 },
    {
      group_by: [{ attribute: 'device_manufacturer' }],
      aggregation: [
        { attribute: 'session_count', operator: '' },
        { attribute: 'session_duration', operator: 'max' },
      ],
      page: 1,
      page_size: 25,
    },
    { comparison: 1, page: 1, page_size: 25 },
    {
      filters: [is('event_name', 'in', ['UI Freeze'])],
      group_by: [{ attribute: 'app_version' }, { attribute: 'device_model' }],
      page: 1,
      page_size: 20,
    },
    { group_by: [{ attribute: 'session_uploadedon_day' }], page: 1, page_size: 20 },
    { group_by: [{ attribute: 'session_uploaded_week' }], page: 1, page_size: 20 },
    {
      filters: [is('session_screen_list', 'has_any', ['OrderConfirmationActivity'])],
      group_by: [{ attribute: 'session_uploaded_week' }],
      page: 1,
      page_size: 20,
    },
    {
      filters: [is('app_version', 'equal', '1.5')],
      group_by: [{ attribute: 'device_platform' }],
      page: 1,
      page_size: 20,
    },
    { group_by: [{ attribute: 'device_manufacturer' }], page: 1, page_size: 20 },
    {
      filters: [is('user_custom_property', 'in', ['20-29'], { property_name: 'age_group' })],
      page: 1,
      page_size: 20,
    },
    {
      filters: [
        is('event_name', 'in', ['Add to cart'], {
          property: { name: 'price', operator: 'greater', value: '10' },
        }),
      ],
      page: 1,
      page_size: 20,
    },
    {
      group_by: [{ attribute: 'device_model' }],
      aggregation: [{ attribute: 'user_rage_gesture_count', operator: 'sum' }],
      page: 1,
      page_size: 20,
    },
    { page: 1, page_size: 100 },
    {
      filters: [is('device_country', 'equal', 'USA')],
      group_by: [{ attribute: 'device_model', max_group_number: 50 }],
      page: 1,
      page_size: 100,
    },
    { group_by: [{ attribute: 'app_version', max_group_number: 50 }], page: 1, page_size: 50 },
    { comparison: 1 },
    { group_by: [{ attribute: 'device_model', max_group_number: 20 }] },
    { aggregation: [{ attribute: 'session_count' }] },
  ],
  '/v2/event/analytics': [
    {},
    { filters: [is('device_manufacturer', 'not_equal', 'Sony')], page: 1, page_size: 25 },
    { filters: [is('session_gesture_count', 'less_or_equal', 10)], page: 1, page_size: 25 },
    { group_by: [{ attribute: 'device_manufacturer' }], page: 1, page_size: 25 },
    { page: 1, page_size: 25 },
    {
      group_by: [{ attribute: 'user_custom_property', property_name: 'age_group' }],
      aggregation: [{ attribute: 'event_count', operator: '' }],
      page: 1,
      page_size: 25,
    },
    { comparison: 1, page: 1, page_size: 25 },
    { group_by: [{ attribute: 'event_uploadedon_day' }], page: 1, page_size: 20 },
    { group_by: [{ attribute: 'event_uploaded_week' }], page: 1, page_size: 20 },
    {
      filters: [is('app_version', 'equal', '1.5')],
      group_by: [{ attribute: 'device_platform' }],
      page: 1,
      page_size: 20,
    },
    { group_by: [{ attribute: 'device_manufacturer' }], page: 1, page_size: 20 },
    { filters: [is('session_duration', 'greater', '180')], page: 1, page_size: 20 },
    { filters: [is('session_crashed', 'equal', true)], page: 1, page_size: 20 },
    { group_by: [{ attribute: 'user_custom_property', property_name: 'age_group' }], page: 1, page_size: 20 },
    {
      filters: [is('event_custom_property', 'in', ['Paypal', 'Cash'], { property_name: 'payment_method' })],
      group_by: [{ attribute: 'user_custom_property', property_name: 'age_group' }],
      page: 1,
      page_size: 20,
    },
    {
      group_by: [{ attribute: 'event_uploadedon_day' }],
      aggregation: [
        { attribute: 'event_count', operator: '' },
        { attribute: 'event_custom_property', property_name: 'duration', operator: 'avg' },
      ],
      page: 1,
      page_size: 20,
    },
    { page: 1, page_size: 100 },
    {
      filters: [is('device_country', 'equal', 'USA')],
      group_by: [{ attribute: 'device_model', max_group_number: 50 }],
      page: 1,
      page_size: 100,
    },
  ],
  '/api/data-access/v1/session/analytics': [
    {
      filters: [is('device_country', 'equal', 'USA')],
      group_by: [{ attribute: 'device_model', max_group_number: 50 }],
    },
  ],
  '/api/data-access/v1/user': [
    {
      show_only: ['property', 'usage', 'location', 'device'],
      filters: [is('device_country', 'equal', 'USA')],
      page_size: 50,
    },
  ],
  '/api/data-access/v1/user/analytics': [{ group_by: [{ attribute: 'device_platform' }] }],
  '/api/data-access/v1/screen/analytics': [
    { group_by: [{ attribute: 'screen_name', max_group_number: 50 }] },
  ],
  '/api/data-access/v1/event/analytics': [{ group_by: [{ attribute: 'event_name', max_group_number: 50 }] }],
};

/** With the place that the refusal names. */
const REFUSED: [path: string, request: Request, at: string][] = [
  [
    '/v2/event/analytics',
    { filters: [is('date_range', 'on', '2023-01-19')], page: 1, page_size: 25 },
    'filters[0].operator',
  ],
  [
    '/v2/user/analytics',
    { filters: [is('user_first_seen_on', 'not_on', '2023-01-20')], page: 1, page_size: 25 },
    'filters[0].attribute',
  ],
  [
    '/v2/session/analytics',
    { filters: [is('date_range', 'before', '2023-01-19')], page: 1, page_size: 25 },
    'filters[0].operator',
  ],
  [
    '/v2/user',
    {
      filters: [
        is('user_session_count', 'greater', 10),
        is('user_session_duration', 'greater', 1800),
        is('date_range', 'before', '2023-01-19'),
      ],
      page: 1,
      page_size: 20,
    },
    'filters[2].operator',
  ],
  [
    '/v2/user',
    {
      filters: [
        is('event_count_per_user', 'greater', {
          count: 2,
          event_names: ['Add to cart', 'view product category'],
        }),
      ],
      page: 1,
      page_size: 50,
    },
    'filters[0].attribute',
  ],
  [
    '/v2/user/analytics',
    {
      filters: [
        is('user_session_count', 'greater', 10),
        is('user_session_duration', 'greater', 1800),
        is('date_range', 'before', '2023-01-19'),
      ],
      page: 1,
      page_size: 20,
    },
    'filters[2].operator',
  ],
  [
    '/v2/user/analytics',
    {
      filters: [
        is('event_count_per_user', 'greater', {
          count: 2,
          event_names: ['Add to cart', 'view product category'],
        }),
      ],
      page: 1,
      page_size: 50,
    },
    'filters[0].attribute',
  ],
  [
    '/v2/session',
    { filters: [is('date_range', 'after', '2023-01-01')], page: 1, page_size: 100 },
    'filters[0].operator',
  ],
  [
    '/v2/session',
    {
      filters: [is('date_range', 'after', '2023-01-01'), is('session_rage_gesture_count', 'greater', '5')],
      page: 1,
      page_size: 100,
    },
    'filters[0].operator',
  ],
  [
    '/v2/session',
    {
      filters: [is('date_range', 'after', '2023-01-01'), is('device_country', 'equal', 'USA')],
      page: 1,
      page_size: 100,
    },
    'filters[0].operator',
  ],
  [
    '/v2/user/analytics',
    {
      aggregation: [{ attribute: 'user_custom_property', operator: 'avg', property_name: 'age_group' }],
      page: 1,
      page_size: 20,
    },
    'aggregation[0].attribute',
  ],
  [
    '/api/data-access/v1/session',
    {
      show_only: ['property', 'user', 'device', 'location'],
      filters: [is('device_country', 'equal', 'USA')],
      page_size: 500,
    },
    'show_only',
  ],
  [
    '/api/data-access/v1/event',
    {
      show_only: ['sessionProperty', 'userProperty', 'device', 'eventProperty'],
      filters: [is('event_name', 'in', ['purchased'])],
      page_size: 500,
    },
    'show_only',
  ],
  ['/api/data-access/v1/session/analytics', { comparison: true }, 'comparison'],
];

let shop: Sample;
beforeAll(async () => {
  const one = session({
    platform: 'android',
    country: 'USA',
    device_manufacturer: 'Samsung',
    app_version: '1.5',
  });
  const added = event(one, { event_name: 'Add to cart', properties: { price: 12, payment_method: 'Cash' } });
  shop = await sample({ sessions: [one], events: [added] });
});
afterAll(() => shop.close());

const ask = (path: string, request: Request) =>
  path.startsWith('/v2') ? shop.get(path, request) : shop.post(path, request);

const answered = Object.entries(ANSWERED).flatMap(([path, requests]) =>
  requests.map((request) => ({ path, request })),
);

describe('a published request', () => {
  test.each(answered)('$path $request is answered', async ({ path, request }) => {
    const { status, body } = await ask(path, request);
    expect([status, body.error?.message]).toEqual([200, undefined]);
  });

  test.each(REFUSED)('%s %j is refused at %s', async (path, request, at) => {
    const { status, body } = await ask(path, request);
    expect([status, body.error?.details?.[0]?.path]).toEqual([400, at]);
  });

  test('is counted in the documents', () => {
    const page = readFileSync('docs/reference/data-access.md', 'utf8');
    const [, counted, all] = /(\d+) of the (\d+) requests/.exec(page) ?? [];
    expect([counted, all].map(Number)).toEqual([answered.length, answered.length + REFUSED.length]);
  });
});
