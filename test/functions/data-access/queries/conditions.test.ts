import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DuckDbCompiler } from '../../../../functions/data-access/engines/duckdb/compiler.ts';
import { column } from '../../../../functions/data-access/engines/query.ts';
import { conditionOn } from '../../../../functions/data-access/queries/conditions.ts';
import { event, type Sample, sample, session } from '../sample-app.ts';

// Each id names the difference to the others, so that the tables below are readable.
const android = session({
  session_id: 'android',
  platform: 'android',
  country: 'Germany',
  app_version: '1.2',
  duration_sec: 30,
  crashed: true,
  screens: ['Home', 'Cart'],
  recorded_at: '2026-03-31T21:59:59Z',
  user_properties: { plan: 'pro', age: 9, 'a/b~"c': 'odd' },
});
const ios = session({
  session_id: 'ios',
  platform: 'ios',
  country: 'France',
  app_version: '1.3',
  duration_sec: 60,
  screens: ['Home'],
  session_number: 2,
  recorded_at: '2026-03-31T22:00:00Z',
  user_properties: { plan: 'free', age: 10, level: '7' },
});
const web = session({
  session_id: 'web',
  platform: 'web',
  duration_sec: 90.5,
  screens: [],
  recorded_at: '2026-04-06T10:00:00Z',
  utm: 'spring',
});
const events = [
  event(android, { event_id: 'buy', event_name: 'purchase', properties: { price: 9, paid: true } }),
  event(android, { event_id: 'view', event_name: 'view', screen_name: null, properties: { price: '10' } }),
  event(ios, { event_id: 'buy2', event_name: 'purchase', properties: { price: 10.5, note: '50% "off"' } }),
];

let shop: Sample;
beforeAll(async () => {
  shop = await sample({ sessions: [android, ios, web], events });
});
afterAll(() => shop.close());

type Row = [attribute: string, operator: string, value: unknown, found: string[], propertyName?: string];

async function found(resource: 'session' | 'event', [attribute, operator, value, , property_name]: Row) {
  const filters = [{ attribute, operator, value, property_name }];
  if (resource === 'event') {
    const { body } = await shop.get('/v2/event', { filters });
    return body.data.map((row) => row.eventId).sort();
  }
  const group_by = [{ attribute: 'session_id' }];
  const { body } = await shop.get('/v2/session/analytics', { filters, group_by });
  return body.data.map((row) => row.session_id).sort();
}

describe('a filter on sessions', () => {
  const rows: Row[] = [
    ['app_version', 'equal', '1.2', ['android']],
    ['app_version', 'not_equal', '1.2', ['ios', 'web']],
    ['app_version', 'in', ['1.2', '1.3'], ['android', 'ios']],
    ['app_version', 'not_in', ['1.3'], ['android', 'web']],
    ['device_country', 'contains', 'an', ['android', 'ios']],
    ['device_country', 'contains', '%', []],
    ['device_country', 'not_contains', 'Ger', ['ios', 'web']],
    ['device_platform', 'equal', 'ios', ['ios']],
    ['device_platform', 'in', [1, '3'], ['android', 'web']],
    ['device_platform', 'not_equal', 2, ['android', 'web']],
    ['session_duration', 'equal', 60, ['ios']],
    ['session_duration', 'greater', 60, ['web']],
    ['session_duration', 'greater_or_equal', 60, ['ios', 'web']],
    ['session_duration', 'less', 60, ['android']],
    ['session_duration', 'less_or_equal', 60, ['android', 'ios']],
    ['session_duration', 'not_in', [60, 30], ['web']],
    ['session_duration', 'equal', '60.0', ['ios']],
    ['session_duration', 'in', ['9.05e1', 30], ['android', 'web']],
    ['session_duration', 'greater', '60', ['web']],
    ['session_crashed', 'equal', true, ['android']],
    ['session_crashed', 'not_equal', true, ['ios', 'web']],
    ['session_crashed', 'equal', 'true', ['android']],
    ['session_crashed', 'in', ['false'], ['ios', 'web']],
    ['session_new_users_count', 'equal', 0, ['ios']],
    ['session_number_of_user', 'greater', 1, ['ios']],
    ['session_screen_list', 'has_any', ['Cart', 'Help'], ['android']],
    ['session_screen_list', 'not_has_any', ['Cart'], ['ios', 'web']],
    ['utm', 'equal', 'spring', ['web']],
    ['user_first_utm', 'equal', 'spring', ['web']],
    ['user_first_screen_name', 'equal', 'Home', ['android']],
    ['event_name', 'equal', 'purchase', ['android', 'ios']],
    ['event_name', 'in', ['view'], ['android']],
    ['event_name', 'not_equal', 'view', ['ios', 'web']],
    ['event_name', 'contains', 'chase', ['android', 'ios']],
    ['event_name', 'not_contains', 'chase', ['web']],
    // 22:00 UTC is midnight in Berlin: android is the last second of March, ios the first of April.
    ['session_uploadedon_day', 'on', '2026-04-01', ['ios']],
    ['session_uploadedon_day', 'not_on', '2026-04-01', ['android', 'web']],
    ['session_uploadedon_day', 'equal', '2026-03-31', ['android']],
    ['session_uploadedon_day', 'in', ['2026-03-31', '2026-04-06'], ['android', 'web']],
    ['session_uploadedon_day', 'after', '2026-03-31', ['ios', 'web']],
    ['session_uploadedon_day', 'before', '2026-04-01', ['android']],
    ['session_uploadedon_day', 'after', '2026-03-31T22:00:00Z', ['web']],
    ['session_uploadedon_day', 'before', '2026-03-31T22:00:00Z', ['android']],
    ['session_uploadedon_day', 'between_dates', { lower: '2026-04-01', upper: '2026-04-06' }, ['ios', 'web']],
    ['session_uploadedon_hour', 'on', '2026-03-31T22:30:00Z', ['ios']],
    ['session_uploadedon_hour', 'on', '2026-03-31', ['android']],
    ['session_uploaded_week', 'on', '2026-04-12', ['web']],
    ['session_uploaded_week', 'on', '2026-03-30', ['android', 'ios']],
    ['session_uploaded_month', 'on', '2026-04-30', ['ios', 'web']],
    ['session_uploaded_month', 'equal', '2026-04', ['ios', 'web']],
    ['session_uploaded_month', 'in', ['2026-04'], ['ios', 'web']],
    ['session_uploaded_month', 'after', '2026-03-02', ['ios', 'web']],
    ['user_custom_property', 'equal', 'pro', ['android'], 'plan'],
    ['user_custom_property', 'not_equal', 'pro', ['ios', 'web'], 'plan'],
    ['user_custom_property', 'equal', 'odd', ['android'], 'a/b~"c'],
    ['user_custom_property', 'greater', 9, ['ios'], 'age'],
    ['user_custom_property', 'less_or_equal', 9, ['android'], 'age'],
    ['user_custom_property', 'greater', 1, [], 'level'],
    ['user_custom_property', 'greater', '9', ['ios'], 'age'],
    ['user_custom_property', 'equal', 7, ['ios'], 'level'],
    ['user_custom_property', 'in', [9, 'x'], ['android'], 'age'],
    ['user_custom_property', 'not_in', [9], ['ios', 'web'], 'age'],
    ['user_custom_property', 'contains', 'r', ['android', 'ios'], 'plan'],
    ['svcuserid', 'equal', "'; DROP TABLE sessions; --", []],
  ];
  test.each(rows)('%s %s %j', async (...row) => {
    expect(await found('session', row)).toEqual(row[3]);
  });
});

describe('a filter on events', () => {
  const rows: Row[] = [
    ['event_name', 'equal', 'purchase', ['buy', 'buy2']],
    ['event_name', 'not_equal', 'purchase', ['view']],
    ['event_screen_name', 'not_equal', 'Cart', ['view']],
    ['event_custom_property', 'equal', 9, ['buy'], 'price'],
    ['event_custom_property', 'equal', '10', ['view'], 'price'],
    ['event_custom_property', 'in', [9, '10', true], ['buy', 'view'], 'price'],
    ['event_custom_property', 'not_in', [9, 10], ['buy2'], 'price'],
    ['event_custom_property', 'in', ['true', 1], ['buy'], 'paid'],
    ['event_custom_property', 'greater', 9, ['buy2'], 'price'],
    ['event_custom_property', 'equal', true, ['buy'], 'paid'],
    ['event_custom_property', 'equal', '50% "off"', ['buy2'], 'note'],
    ['event_uploadedon_day', 'on', '2026-03-31', ['buy', 'view']],
    ['session_uploadedon_day', 'on', '2026-04-01', ['buy2']],
    ['session_id', 'equal', 'ios', ['buy2']],
    ['svcuserid', 'in', [String(android.user_id)], ['buy', 'view']],
    ['device_platform', 'equal', 'ios', ['buy2']],
    ['device_country', 'not_equal', 'France', ['buy', 'view']],
    ['session_screen_list', 'has_any', ['Cart'], ['buy', 'view']],
    ['user_custom_property', 'equal', 'free', ['buy2'], 'plan'],
    ['session_crashed', 'equal', false, ['buy2']],
  ];
  test.each(rows)('%s %s %j', async (...row) => {
    expect(await found('event', row)).toEqual(row[3]);
  });
});

test('a long list of property values compiles to as many casts as a list of one', () => {
  const castsOf = (length: number) => {
    const value = Array.from({ length }, (_, at) => at);
    const filter = {
      attribute: 'event_custom_property',
      property_name: 'price',
      operator: 'in',
      value,
    } as const;
    const { positive } = conditionOn(filter, column('properties'), 'UTC');
    return new DuckDbCompiler().compile(positive).sql.match(/try_cast/g)?.length;
  };
  expect(castsOf(1000)).toBe(castsOf(1));
});
