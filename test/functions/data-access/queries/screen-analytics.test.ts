import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { event, range, type Sample, sample, session, visit } from '../sample-app.ts';

const SCREENS = '/api/data-access/v1/screen/analytics';

const phone = session({ user_id: 'a', platform: 'android', recorded_at: '2026-04-01T10:00:00Z' });
const again = session({ user_id: 'a', platform: 'android', recorded_at: '2026-04-02T10:00:00Z' });
const web = session({ user_id: 'b', platform: 'web', recorded_at: '2026-04-02T11:00:00Z' });
const part = { is_entry: false, is_exit: false, is_bounce: false };

let shop: Sample;
beforeAll(async () => {
  shop = await sample({
    sessions: [phone, again, web],
    events: [event(again, { event_name: 'buy' })],
    visits: [
      visit(phone, { ...part, screen_name: 'Home', time_on_screen_sec: 5, is_entry: true }),
      visit(phone, { ...part, screen_name: 'Cart', time_on_screen_sec: 20, visit_rage_gesture_count: 2 }),
      visit(phone, { ...part, screen_name: 'Home', time_on_screen_sec: 7, is_exit: true }),
      visit(again, { screen_name: 'Home', time_on_screen_sec: 3 }),
      visit(web, { screen_name: 'Cart', time_on_screen_sec: 40, visit_rage_gesture_count: null }),
    ],
  });
});
afterAll(() => shop.close());

const ask = async (body: object = {}) => (await shop.post(SCREENS, { ...body })).body.data;

describe('screens', () => {
  test('are grouped by name, with all default metrics', async () => {
    expect(await ask()).toEqual([
      {
        screen_name: 'Home',
        screen_visits: 3,
        unique_users: 1,
        unique_sessions: 2,
        avg_time_on_screen: 5,
        rage_gesture_count: 0,
        entries: 2,
        exits: 2,
        exit_rate: 2 / 3,
        bounce_rate: 0.5,
      },
      {
        screen_name: 'Cart',
        screen_visits: 2,
        unique_users: 2,
        unique_sessions: 2,
        avg_time_on_screen: 30,
        rage_gesture_count: 2,
        entries: 1,
        exits: 1,
        exit_rate: 0.5,
        bounce_rate: 1,
      },
    ]);
  });

  test.each([
    ['their own name', { attribute: 'screen_name', operator: 'equal', value: 'Cart' }, 2],
    ['the device of their session', { attribute: 'device_platform', operator: 'equal', value: 'android' }, 4],
    ['the events of their session', { attribute: 'event_name', operator: 'equal', value: 'buy' }, 1],
    ['the window', range('2026-04-02', '2026-04-02'), 2],
  ])('are filtered by %s', async (_, filter, visits) => {
    const aggregation = [{ attribute: 'screen_visits' }];
    expect(await ask({ filters: [filter], group_by: [], aggregation })).toEqual([{ screen_visits: visits }]);
  });

  test('are compared with the previous period', async () => {
    const rows = await ask({
      filters: [range('2026-04-02', '2026-04-02')],
      aggregation: [{ attribute: 'screen_visits' }, { attribute: 'time_on_screen', operator: 'max' }],
      comparison: 1,
    });
    expect(rows).toContainEqual({
      screen_name: 'Home',
      screen_visits: 1,
      screen_visits_pct_change: -50,
      screen_visits_previous: 2,
      max_time_on_screen: 3,
      max_time_on_screen_pct_change: -57.14,
      max_time_on_screen_previous: 7,
    });
  });
});
