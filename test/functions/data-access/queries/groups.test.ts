import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { event, range, type Sample, sample, session } from '../sample-app.ts';

// Ann buys for 9 on Android and views on iOS, Bob buys for 20, Eve does nothing; the day before, she bought for 9.
const phone = session({ user_id: 'ann', session_id: 'phone', platform: 'android', country: 'Germany' });
const tablet = session({
  ...phone,
  ...{ session_id: 'tablet', platform: 'ios', country: 'Italy', recorded_at: '2026-04-01T11:00:00Z' },
  ...{ event_count: 3, rage_gesture_count: 2 },
});
const bob = session({ user_id: 'bob', session_id: 'bob', platform: 'web', crashed: true, event_count: 1 });
const eve = session({ user_id: 'eve', session_id: 'eve', platform: 'web', rage_gesture_count: 5 });
const before = session({ ...eve, session_id: 'before', recorded_at: '2026-03-31T10:00:00Z' });
const bought = (of: typeof phone, price: number) => event(of, { properties: { price, coupon: 'no' } });
const events = [
  bought(phone, 9),
  event(phone, { event_name: 'view', properties: { price: 50 } }),
  event(tablet, { event_name: 'view', properties: { price: 9 } }),
  bought(bob, 20),
  bought(before, 9),
];

let shop: Sample;
beforeAll(async () => {
  shop = await sample({ sessions: [phone, tablet, bob, eve, before], events });
});
afterAll(() => shop.close());

const DAY = range('2026-04-01', '2026-04-01');
const is = (attribute: string, value: unknown, more = {}) => ({
  ...{ attribute, operator: 'equal', value },
  ...more,
});
const buys = is('event_name', 'purchase');
const dear = { ...is('event_custom_property', 10), property_name: 'price', operator: 'greater' };
const cheap = { ...dear, operator: 'less' };
const priced = (operator: string, value: unknown) => ({ property: { name: 'price', operator, value } });

async function found(resource: 'session' | 'user', filters: object[]): Promise<unknown[]> {
  const id = resource === 'session' ? 'session_id' : 'svcuserid';
  const asked = { filters: [DAY, ...filters], group_by: [{ attribute: id }] };
  const { status, body } = await shop.post(`/api/data-access/v1/${resource}/analytics`, asked);
  expect([status, body.error?.message]).toEqual([200, undefined]);
  return body.data.map((row) => row[id]).sort();
}

type Row = [name: string, filters: object[], sessions: string[], users: string[]];

describe('sessions and users with', () => {
  const rows: Row[] = [
    [
      'any: one of the filters',
      [{ any: [is('device_platform', 'ios'), is('session_crashed', true)] }],
      ['bob', 'tablet'],
      ['ann', 'bob'],
    ],
    [
      'any and a filter: both',
      [{ any: [is('device_platform', 'ios'), is('session_crashed', true)] }, is('device_country', 'Italy')],
      ['tablet'],
      ['ann'],
    ],
    // For users, each filter counts alone: by the latest session, one session, or the sums over the day.
    [
      'any of filters on different subjects',
      [{ any: [is('device_country', 'Germany'), is('session_number_of_user', 7), { did: [buys, dear] }] }],
      ['bob', 'phone'],
      ['bob'],
    ],
    ['did: one event that matches all', [{ did: [buys, dear] }], ['bob'], ['bob']],
    ['did_not: no such event', [{ did_not: [buys, dear] }], ['eve', 'phone', 'tablet'], ['ann', 'eve']],
    ['did_not: nobody who bought that day', [{ did_not: [buys] }], ['eve', 'tablet'], ['eve']],
    [
      'a negated filter: one session without',
      [{ ...buys, operator: 'not_equal' }],
      ['eve', 'tablet'],
      ['ann', 'eve'],
    ],
    [
      'any with did_not',
      [{ any: [{ did_not: [buys] }, is('session_crashed', true)] }],
      ['bob', 'eve', 'tablet'],
      ['bob', 'eve'],
    ],
    ['a property of any event', [cheap], ['phone', 'tablet'], ['ann']],
    ['a property, in any event of the session', [buys, cheap], ['phone'], ['ann']],
    [
      'a property that no event has',
      [{ ...dear, operator: 'not_equal' }],
      ['bob', 'eve', 'phone', 'tablet'],
      ['ann', 'bob', 'eve'],
    ],
    ['a property of the named event', [{ ...buys, ...priced('greater', '10') }], ['bob'], ['bob']],
    ['a property that the named event lacks', [{ ...buys, ...priced('not_equal', 9) }], ['bob'], ['bob']],
    [
      'one of many names with a property',
      [{ ...buys, operator: 'in', value: ['view'], ...priced('in', [50]) }],
      ['phone'],
      ['ann'],
    ],
  ];
  test.each(rows)('%s', async (_, filters, sessions, users) => {
    expect(await found('session', filters)).toEqual(sessions);
    expect(await found('user', filters)).toEqual(users);
  });

  test.each([[[buys]], [[buys, cheap]], [[is('event_screen_name', 'Cart'), dear]]])(
    'did and did_not: together all, none twice (%j)',
    async (filters) => {
      for (const resource of ['session', 'user'] as const) {
        const [did, didNot, all] = await Promise.all([
          found(resource, [{ did: filters }]),
          found(resource, [{ did_not: filters }]),
          found(resource, []),
        ]);
        expect([...did, ...didNot].sort()).toEqual(all);
      }
    },
  );
});

test('users by their events of the window', async () => {
  const many = { attribute: 'user_event_count', operator: 'greater', value: 2 };
  expect(await found('user', [many])).toEqual(['ann']);
  expect(await found('user', [{ any: [many, is('user_event_count', 0)] }])).toEqual(['ann', 'eve']);
});

test('events of the sessions with an event', async () => {
  const count = async (...filters: object[]) =>
    (await shop.post('/api/data-access/v1/event/analytics', { filters: [DAY, ...filters] })).body.data[0]
      ?.event_count;
  expect(await count()).toBe(4);
  expect(await count({ did: [buys] })).toBe(3);
  expect(await count({ did_not: [buys] })).toBe(1);
  expect(await count({ any: [buys, is('device_platform', 'ios')] })).toBe(3);
});

test('session analytics add the totals of users', async () => {
  const aggregation = ['user_rage_gesture_count', 'user_session_count', 'user_session_duration'].map(
    (attribute) => ({ attribute, operator: 'sum' }),
  );
  const { body } = await shop.post('/api/data-access/v1/session/analytics', {
    ...{ filters: [DAY], aggregation, group_by: [{ attribute: 'device_platform' }] },
  });
  expect(body.data).toContainEqual({
    device_platform: 'web',
    sum_user_rage_gesture_count: 5,
    sum_user_session_count: 2,
    sum_user_session_duration: 120,
  });
});
