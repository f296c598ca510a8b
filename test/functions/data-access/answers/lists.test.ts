import { describe, expect, test } from 'vitest';
import { cursorPaginationSchema } from '../../../../shared/contract/responses.ts';
import { closingSamples, event, session } from '../sample-app.ts';

const shopWith = closingSamples();

const dashboard = { dashboardUrl: 'https://dash.example/', rateLimit: { enforce: false } };

describe('the list of events', () => {
  test('has the documented record', async () => {
    const of = session({
      session_id: 's 1',
      user_id: 'internal',
      user_name: 'ann',
      platform: 'ios',
      device_model: 'iPhone 15',
      duration_sec: 12.5,
      user_properties: { plan: 'pro' },
    });
    const shop = await shopWith({
      settings: dashboard,
      sessions: [of],
      events: [
        event(of, {
          event_id: 'e',
          recorded_at: '2026-04-01T10:00:05.250Z',
          properties: { price: 3, tag: 'x' },
        }),
      ],
    });
    expect((await shop.get('/v2/event')).body).toEqual({
      success: true,
      data: [
        {
          eventId: 'e',
          eventName: 'purchase',
          eventScreen: 'Cart',
          eventDate: '2026-04-01T10:00:05.250Z',
          url: 'https://dash.example/apps/shop/sessions/s%201',
          sessionProperty: { sessionId: 's 1', hasVideo: true, durationSec: 12.5 },
          userProperty: { plan: 'pro', kSvc_UserIdentity: 'ann' },
          eventProperty: { price: 3, tag: 'x' },
          device: { model: 'iPhone 15', platform: 2 },
        },
      ],
      pagination: { current: 1, next: null, total: 1 },
    });
  });

  test('is sorted by newest, then by id, in stable pages of 50', async () => {
    const of = session();
    const at = (minute: number) =>
      new Date(Date.parse('2026-04-01T10:00:00Z') + minute * 60_000).toISOString();
    // Two events at each time, so that the order depends on the id.
    const events = Array.from({ length: 100 }, (_, index) =>
      event(of, {
        event_id: `e${String(99 - index).padStart(2, '0')}`,
        recorded_at: at(Math.floor(index / 2)),
      }),
    );
    const shop = await shopWith({ sessions: [of], events });
    const [first, second, third] = await Promise.all(
      [1, 2, 3].map((page) => shop.get('/v2/event', { page })),
    );
    expect(first?.body.data.slice(0, 4).map((row) => row.eventId)).toEqual(['e00', 'e01', 'e02', 'e03']);
    expect(first?.body.pagination).toEqual({ current: 1, next: 2, total: 100 });
    expect(second?.body.pagination).toEqual({ current: 2, next: null, total: 100 });
    const seen = [first, second].flatMap((page) => page?.body.data.map((row) => row.eventId));
    expect(seen).toEqual(events.map((row) => row.event_id).sort());
    expect(third?.body.data).toEqual([]);
  });
});

describe('pages of a long list', () => {
  test('continue where the previous page ended, across days and equal times', async () => {
    const of = session();
    const at = (index: number) =>
      new Date(Date.parse('2026-04-08T00:00:00Z') - Math.floor(index / 3) * 1_800_000).toISOString();
    const events = Array.from({ length: 1000 }, (_, index) =>
      event(of, { event_id: `e${String((index * 7919) % 1000).padStart(3, '0')}`, recorded_at: at(index) }),
    );
    const shop = await shopWith({ sessions: [of], events });
    const pages = await Promise.all(
      Array.from({ length: 11 }, (_, nth) => shop.get('/v2/event', { page: nth + 1, page_size: 97 })),
    );
    const expected = events
      .map(({ event_id, recorded_at }) => [String(recorded_at), String(event_id)] as const)
      .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? 1 : -1))
      .map(([, id]) => id);
    expect(pages.flatMap(({ body }) => body.data.map((row) => row.eventId))).toEqual(expected);
    expect(pages.map(({ body }) => body.pagination)).toEqual(
      pages.map((_, nth) => ({ current: nth + 1, next: nth < 10 ? nth + 2 : null, total: 1000 })),
    );
  });
});

describe('the list of sessions', () => {
  const at = session({
    session_id: 's',
    user_id: 'internal',
    user_name: 'ann',
    session_number: 4,
    recorded_at: '2026-04-01T10:00:00Z',
    uploaded_at: '2026-04-01T10:05:00.500Z',
    duration_sec: 61.5,
    crashed: true,
    offline: true,
    network_type: 'wifi',
    platform: 'ios',
    device_id: 'd',
    device_model: 'iPhone 15',
    device_manufacturer: 'Apple',
    device_class: 'phone',
    os_name: 'iOS',
    os_version: '19',
    app_version: '2.1',
    sdk_version: '3',
    language: 'de',
    country_code: 'DE',
    country: 'Germany',
    city: 'Bonn',
    user_properties: { plan: 'pro' },
  });
  const record = {
    sessionId: 's',
    url: 'https://dash.example/apps/shop/sessions/s',
    property: {
      uploadedServerTime: '2026-04-01T10:05:00.500Z',
      deviceLocalDateTime: '2026-04-01T12:00:00.000+02:00',
      offlineRecorded: true,
      hasVideo: true,
      isCrashed: true,
      durationSec: 61.5,
      totalGesture: 10,
      totalScreen: 3,
      uniqueScreensCount: 2,
      rageGestureCount: 0,
      responsiveGestureCount: 9,
      unresponsiveGestureCount: 1,
      networkType: 'wifi',
    },
    user: { userProperty: { plan: 'pro', kSvc_UserIdentity: 'ann' }, sessionNumber: 4 },
    device: {
      deviceId: 'd',
      model: 'iPhone 15',
      producer: 'Apple',
      class: 'phone',
      platform: 'ios',
      osName: 'iOS',
      osVersion: '19',
      appVersion: '2.1',
      sdkVersion: '3',
      language: 'de',
    },
    location: { countryCode: 'DE', country: 'Germany', city: 'Bonn' },
  };

  test('has the documented record in both styles', async () => {
    const shop = await shopWith({ settings: dashboard, sessions: [at] });
    expect((await shop.get('/v2/session')).body).toEqual({
      success: true,
      data: [record],
      pagination: { current: 1, next: null, total: 1 },
    });
    expect((await shop.post('/api/data-access/v1/session')).body).toEqual({
      success: true,
      data: [record],
      pagination: { page_size: 500, current_page: 1, next_page: null, has_more: false, next_cursor: '' },
    });
  });
});

describe('a list in the JSON style', () => {
  const _of = session({ user_id: 'u', user_name: 'ann' });

  test('has cursors that work with the longest ids', async () => {
    const long = ['a', 'b', 'c'].map((letter) => session({ user_id: `${letter}${'😀'.repeat(499)}` }));
    const shop = await shopWith({ sessions: long });
    const first = await shop.post('/api/data-access/v1/user', { page_size: 1 });
    const { next_cursor: cursor } = cursorPaginationSchema.parse(first.body.pagination);
    const second = await shop.post('/api/data-access/v1/user', { page_size: 1, cursor });
    expect(second.body.data[0]?.svcUserId).toBe(long[1]?.user_id);
  });
});
