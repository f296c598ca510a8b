import { describe, expect, test } from 'vitest';
import { closingSamples, range, session } from '../sample-app.ts';

const PATH = '/api/data-access/v1/user/analytics';

const shopWith = closingSamples();

const at = (day: string) => ({ recorded_at: `2026-04-${day}T10:00:00Z` });
const ann = [
  session({ ...at('01'), user_id: 'ann', platform: 'ios', duration_sec: 10, event_count: 2 }),
  session({ ...at('02'), user_id: 'ann', session_number: 2, duration_sec: 20, rage_gesture_count: 4 }),
];
const bob = [session({ ...at('02'), user_id: 'bob', session_number: 9, duration_sec: 60, event_count: 1 })];

describe('user analytics', () => {
  test('sums per user before it aggregates over users', async () => {
    const shop = await shopWith({ sessions: [...ann, ...bob] });
    expect((await shop.post(PATH)).body).toEqual({
      success: true,
      data: [
        {
          user_count: 2,
          session_new_users_count: 1,
          avg_user_session_count: 1.5,
          avg_user_session_duration: 45,
          avg_user_rage_gesture_count: 2,
          avg_user_event_count: 1.5,
          avg_user_session_screen_count: 4.5,
          dashboard_link: '',
        },
      ],
      pagination: { current: 1, next: null, total: 1 },
    });
    const aggregation = ['sum', 'avg', 'min', 'max'].map((operator) => ({
      attribute: 'user_session_duration',
      operator,
    }));
    expect((await shop.post(PATH, { aggregation })).body.data[0]).toMatchObject({
      sum_user_session_duration: 90,
      avg_user_session_duration: 45,
      min_user_session_duration: 30,
      max_user_session_duration: 60,
    });
  });

  test('accepts documented averages without an operator', async () => {
    const shop = await shopWith({ sessions: [...ann, ...bob] });
    const names = ['user_session_count', 'user_session_duration', 'user_rage_gesture_count'];
    const more = ['user_event_count', 'user_session_screen_count'];
    const aggregation = [...names, ...more].map((attribute) => ({ attribute }));
    expect((await shop.post(PATH, { aggregation })).body.data).toEqual([
      {
        avg_user_session_count: 1.5,
        avg_user_session_duration: 45,
        avg_user_rage_gesture_count: 2,
        avg_user_event_count: 1.5,
        avg_user_session_screen_count: 4.5,
        dashboard_link: '',
      },
    ]);
    const ofOurs = await shop.post(PATH, { aggregation: [{ attribute: 'user_gesture_count' }] });
    expect(ofOurs.body.error?.message).toMatch(
      /user_gesture_count needs one of sum, avg, min, max, p50, p90, p95, p99/,
    );
    const counted = { attribute: 'user_session_count', operator: 'count' };
    expect((await shop.post(PATH, { aggregation: [counted] })).status).toBe(400);
    const twice = [{ attribute: 'user_session_count' }, { attribute: 'avg_user_session_count' }];
    expect((await shop.post(PATH, { aggregation: twice })).body.data).toEqual([
      { avg_user_session_count: expect.any(Number), dashboard_link: '' },
    ]);
  });

  test('compares days, and has a dashboard link for each row', async () => {
    const shop = await shopWith({
      sessions: [...ann, ...bob],
      settings: { dashboardUrl: 'https://dash.example', rateLimit: { enforce: false } },
    });
    const { body } = await shop.post(PATH, {
      filters: [range('2026-04-02', '2026-04-02')],
      group_by: [{ attribute: 'session_uploadedon_day' }],
      aggregation: [{ attribute: 'user_count' }],
      comparison: 1,
    });
    expect(body.data).toEqual([
      {
        session_uploadedon_day: '2026-04-02',
        user_count: 2,
        user_count_pct_change: 100,
        user_count_previous: 1,
        dashboard_link:
          'https://dash.example/apps/shop/analytics?from=2026-04-01T22%3A00%3A00.000Z&to=2026-04-02T22%3A00%3A00.000Z&session_uploadedon_day=2026-04-02',
      },
    ]);
  });
});
