import { expect, test } from 'vitest';
import { legacyListSchema } from '../../../shared/contract/requests.ts';
import { recordsBehind } from '../../../shared/evaluation/records-behind.ts';
import { dayAt, ruleNamed } from '../../fixtures/builders.ts';

const named = (value: string) => ({ attribute: 'event_name', operator: 'equal', value });
const crashed = { attribute: 'session_crashed', operator: 'equal', value: true };
const window = dayAt(2);

/** The lists, with their filters besides the window, which the service must accept. */
function listsOf(overrides: Record<string, unknown>, segment: string | null = null) {
  return recordsBehind(ruleNamed('orders', overrides), segment, window).map(({ name, endpoint, filters }) => {
    expect(() => legacyListSchema(endpoint).parse({ filters })).not.toThrow();
    const [range, ...others] = filters;
    expect(range?.value).toEqual({
      lower: new Date(window.startAt).toISOString(),
      upper: new Date(window.endAt).toISOString(),
    });
    return [name, endpoint, others];
  });
}

test('a metric of events has the filters of the rule and its segment', () => {
  expect(listsOf({ group_by: 'device_country' }, 'Germany')).toEqual([
    [
      null,
      'event',
      [named('purchase'), { attribute: 'device_country', operator: 'equal', value: 'Germany' }],
    ],
  ]);
});

test('a metric of sessions lists sessions', () => {
  expect(listsOf({ metric: 'rage_gestures', filters: [crashed] })).toEqual([[null, 'session', [crashed]]]);
});

test('a number of a property lists the events that have it', () => {
  expect(listsOf({ metric: { average: 'price' } })).toEqual([
    [null, 'event', [named('purchase'), expect.objectContaining({ property_name: 'price' })]],
  ]);
});

test('a ratio and a step of a funnel have a list of each event', () => {
  const both = [
    ['buy', 'event', [named('buy')]],
    ['view', 'event', [named('view')]],
  ];
  expect(listsOf({ filters: [], ratio: { of: 'buy', to: 'view' } })).toEqual(both);
  expect(listsOf({ filters: [], funnel: ['view', 'buy'] }, 'view → buy')).toEqual(both);
});

test('a computed metric has a list of each part, without those of users', () => {
  const figures = {
    crashes: { metric: 'sessions', filters: [crashed] },
    orders: { metric: 'event_count', filters: [named('buy')] },
    people: { metric: 'users', filters: [] },
  };
  const formula = '(crashes + orders) / people';
  expect(listsOf({ metric: undefined, filters: [], figures, formula })).toEqual([
    ['crashes', 'session', [crashed]],
    ['orders', 'event', [named('buy')]],
  ]);
});

test.each([
  ['users', { metric: 'users', filters: [] }, null],
  ['a segment without a value', { group_by: 'device_country' }, ''],
  ['the rest of the segments', { group_by: 'device_country' }, 'others'],
  ['a pair that lacks a value', { group_by: ['device_country', 'app_version'] }, 'Germany, (none)'],
])('there is no list for %s', (_, overrides, segment) => {
  expect(listsOf(overrides, segment)).toEqual([]);
});
