import { describe, expect, test } from 'vitest';
import { DEFAULT_AGGREGATION, metricOf } from '../../../shared/contract/aggregations.ts';
import {
  type Aggregation,
  aggregationKey,
  groupBySchema,
  groupKey,
} from '../../../shared/contract/grouping.ts';
import { filtersFor } from '../../../shared/contract/query-filters.ts';
import { pctChange } from '../../../shared/contract/responses.ts';

describe('aggregationKey', () => {
  const rows: [aggregation: Aggregation, key: string][] = [
    [{ attribute: 'session_count' }, 'session_count'],
    [{ attribute: 'session_count', operator: '' }, 'session_count'],
    [{ attribute: 'session_count', operator: 'count' }, 'session_count'],
    [{ attribute: 'session_duration', operator: 'avg' }, 'avg_session_duration'],
    [{ attribute: 'avg_session_duration' }, 'avg_session_duration'],
    [{ attribute: 'avg_session_duration', operator: 'avg' }, 'avg_session_duration'],
    [{ attribute: 'avg_session_duration', operator: '' }, 'avg_session_duration'],
    [
      { attribute: 'event_custom_property', property_name: 'price', operator: 'sum' },
      'sum_event_custom_property_price',
    ],
    [{ attribute: 'user_session_count', operator: 'max' }, 'max_user_session_count'],
  ];
  test.each(rows)('of %j is %s', (aggregation, key) => {
    expect(aggregationKey(aggregation)).toBe(key);
  });

  test('equals the key of the metric for all default aggregations', () => {
    for (const resource of ['event', 'session', 'user'] as const) {
      for (const aggregation of DEFAULT_AGGREGATION[resource]) {
        expect(metricOf(resource, aggregation)).toMatchObject({ key: aggregationKey(aggregation) });
      }
    }
  });

  test('groupKey names the property', () => {
    expect(groupKey({ attribute: 'device_model' })).toBe('device_model');
    expect(groupKey({ attribute: 'event_custom_property', property_name: 'plan' })).toBe(
      'event_custom_property_plan',
    );
  });
});

test.each([
  [3, 4, 33.33],
  [3, 2, -33.33],
  [4, 4, 0],
  [0, 4, null],
  [null, 4, null],
  [4, null, null],
])('pctChange from %s to %s is %s percent', (previous, current, change) => {
  expect(pctChange(current, previous)).toBe(change);
});

test('filtersFor accepts attributes by resource and kind of read', () => {
  const accepts = (resource: 'event' | 'session' | 'user', read: 'list' | 'analytics', filter: object) =>
    filtersFor(resource, read).safeParse([filter]).success;
  const firstSeen = { attribute: 'user_first_seen_on', operator: 'after', value: '2026-01-01' };
  expect(accepts('user', 'list', firstSeen)).toBe(true);
  expect(accepts('user', 'analytics', firstSeen)).toBe(false);
  expect(accepts('session', 'list', firstSeen)).toBe(false);
  const screen = { attribute: 'event_screen_name', operator: 'equal', value: 'Cart' };
  expect(accepts('event', 'analytics', screen)).toBe(true);
  expect(accepts('user', 'analytics', screen)).toBe(false);
});

test.each([
  [{ attribute: 'device_model' }, true],
  [{ attribute: 'device_model', max_group_number: 1000 }, true],
  [{ attribute: 'device_model', max_group_number: 0 }, false],
  [{ attribute: 'device_model', max_group_number: 1.5 }, false],
  [{ attribute: 'device_models' }, false],
  [{ attribute: 'device_model', order: 'asc' }, false],
])('groupBySchema accepts %j: %s', (group, fits) => {
  expect(groupBySchema.safeParse(group).success).toBe(fits);
});
