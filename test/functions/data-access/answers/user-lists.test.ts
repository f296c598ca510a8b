import { describe, expect, test } from 'vitest';
import { cursorPaginationSchema } from '../../../../shared/contract/responses.ts';
import { closingSamples, event, range, type Sample, session } from '../sample-app.ts';

const USERS = '/api/data-access/v1/user';

const shopWith = closingSamples();

const dashboard = { dashboardUrl: 'https://dash.example/', rateLimit: { enforce: false } };

describe('the list of users', () => {
  const phone = session({
    user_id: 'p',
    platform: 'android',
    device_id: 'd1',
    device_model: 'Pixel',
    app_version: '2.0',
    os_version: '15',
    country: 'Germany',
    country_code: 'DE',
    city: 'Berlin',
    recorded_at: '2026-04-02T10:00:00Z',
    session_number: 2,
    duration_sec: 30,
    event_count: 4,
    user_properties: { plan: 'pro' },
  });
  const before = session({
    ...phone,
    session_id: 'before',
    app_version: '1.0',
    session_number: 1,
    recorded_at: '2026-01-01T10:00:00Z',
    uploaded_at: '2026-01-01T10:00:00Z',
    duration_sec: 12,
    rage_gesture_count: 2,
  });
  const browser = session({
    user_id: 'w',
    user_name: 'will',
    platform: 'web',
    os_name: 'Linux',
    browser_name: 'Firefox',
    browser_version: '140',
    device_type: 'desktop',
    utm: 'spring',
    referer: 'https://a.example/x',
    referer_domain: 'a.example',
    landing_page: '/start',
    recorded_at: '2026-04-03T10:00:00Z',
  });

  test('has usage by default, with counts of the window and of all time', async () => {
    const shop = await shopWith({ settings: dashboard, sessions: [before, phone] });
    expect((await shop.post(USERS)).body).toEqual({
      success: true,
      data: [
        {
          svcUserId: 'p',
          userId: 'p',
          url: 'https://dash.example/apps/shop/users/p',
          usage: {
            registeredOn: '2026-01-01T10:00:00.000Z',
            lastseenOn: '2026-04-02T10:00:00.000Z',
            totalSession: 1,
            totalSessionTime: 30,
            totalGesture: 10,
            screenCount: 3,
            eventCount: 4,
            rageGestureCount: 0,
            responsiveGestureCount: 9,
            unresponsiveGestureCount: 1,
            totalLifetime: {
              totalSession: 2,
              totalSessionTime: 42,
              totalGesture: 20,
              screenCount: 6,
              eventCount: 8,
              rageGestureCount: 2,
            },
          },
        },
      ],
      pagination: { page_size: 500, current_page: 1, next_page: null, has_more: false, next_cursor: '' },
    });
  });

  test('has the sections of phones and of browsers, sorted by last seen', async () => {
    const shop = await shopWith({ sessions: [before, phone, browser] });
    const { body } = await shop.post(USERS, { show_only: ['device', 'location', 'property'] });
    expect(body.data).toEqual([
      {
        svcUserId: 'w',
        userId: 'will',
        url: '',
        property: {
          userProperty: { kSvc_UserIdentity: 'will' },
          initialLandingUTM: 'spring',
          initialReferer: 'https://a.example/x',
          initialRefererDomain: 'a.example',
          initialLandingPage: '/start',
        },
        location: { countryCode: '', city: '', country: '' },
        deviceBasics: {
          deviceId: '',
          appVersion: '',
          osVersion: '',
          os: 'Linux',
          browser: 'Firefox',
          browserVersion: '140',
          type: 'desktop',
        },
        deviceHardware: {},
      },
      {
        svcUserId: 'p',
        userId: 'p',
        url: '',
        property: { userProperty: { plan: 'pro', kSvc_UserIdentity: 'p' } },
        location: { countryCode: 'DE', city: 'Berlin', country: 'Germany' },
        deviceBasics: { deviceId: 'd1', appVersion: '2.0', osVersion: '15' },
        deviceHardware: { model: 'Pixel', platform: 'android' },
      },
    ]);
    const usage = (await shop.post(USERS)).body.data[0]?.usage;
    expect(usage).not.toHaveProperty('unresponsiveGestureCount');
    expect((await shop.post(USERS, { show_only: ['deviceHardware'] })).body.data[0]).not.toHaveProperty(
      'usage',
    );
  });

  const where = (attribute: string, value: unknown, operator = 'equal', more = {}) => [
    { attribute, operator, value, ...more },
  ];
  const since = range('2026-01-01', '2026-04-10');
  const early = range('2026-01-01', '2026-01-02');
  const rows: [name: string, filters: object[], found: string[]][] = [
    ['the device of the latest session', where('app_version', '2.0'), ['p']],
    ['the latest session only', where('app_version', '1.0'), []],
    ['the latest session after the window', [early, ...where('app_version', '2.0')], ['p']],
    ['a session in the window', where('session_duration', 30), ['p']],
    ['sessions in the window only', where('session_duration', 12), []],
    [
      'all conditions on one session',
      [since, ...where('session_duration', 12), ...where('session_number_of_user', 2)],
      [],
    ],
    ['sums over the window', where('user_session_duration', 59, 'greater'), ['w']],
    ['sums over a wider window', [since, ...where('user_session_count', 2)], ['p']],
    ['first seen', where('user_first_seen_on', '2026-01-01', 'on'), ['p']],
    ['first seen on another day', where('user_first_seen_on', '2026-01-01', 'not_on'), ['w']],
    [
      'last seen',
      where('user_last_seen_on', { lower: '2026-04-02', upper: '2026-04-02' }, 'between_dates'),
      ['p'],
    ],
    ['events of their sessions', where('event_name', 'purchase'), ['w']],
    ['a property', where('user_custom_property', 'pro', 'equal', { property_name: 'plan' }), ['p']],
    ['the first session', where('user_first_utm', 'spring'), ['w']],
  ];
  test.each(rows)('filters by %s', async (_, filters, found) => {
    const shop = await shopWith({ sessions: [before, phone, browser], events: [event(browser)] });
    const { body } = await shop.post(USERS, { filters });
    expect(body.data.map((user) => user.svcUserId)).toEqual(found);
  });

  test('filters choose users, and usage counts all their sessions in the window', async () => {
    const other = session({ ...phone, session_id: 'other', duration_sec: 5, crashed: true });
    const shop = await shopWith({ sessions: [phone, other] });
    const filters = [{ attribute: 'session_crashed', operator: 'equal', value: true }];
    const { body } = await shop.post(USERS, { filters });
    expect(body.data[0]?.usage).toMatchObject({ totalSession: 2, totalSessionTime: 35 });
  });
});

describe('paging through users by cursor', () => {
  // Three users at each time, so that pages split users with the same last-seen time.
  const sessions = Array.from({ length: 10 }, (_, at) =>
    session({ user_id: `u${9 - at}`, recorded_at: `2026-04-0${1 + Math.floor(at / 3)}T10:00:00Z` }),
  );

  async function walk(shop: Sample, between: () => Promise<void> = async () => {}) {
    const pages: unknown[] = [];
    const seen: unknown[] = [];
    let cursor = '';
    do {
      const { body } = await shop.post(USERS, { page_size: 4, ...(cursor ? { cursor } : {}) });
      seen.push(...body.data.map((user) => user.svcUserId));
      const { current_page, next_page, has_more, next_cursor } = cursorPaginationSchema.parse(
        body.pagination,
      );
      pages.push([current_page, next_page, has_more]);
      cursor = next_cursor;
      await between();
    } while (cursor);
    return { pages, seen };
  }

  test('returns the users that existed at its start, even if it takes weeks', async () => {
    const later = { uploaded_at: '2026-04-10T18:00:00Z' };
    const shop = await shopWith({
      sessions: [
        ...sessions,
        session({ user_id: 'new', recorded_at: '2026-04-01T10:00:00Z', ...later }),
        session({ user_id: 'u9', recorded_at: '2026-04-10T17:00:00Z', ...later }),
      ],
    });
    // A week between pages, so that the default window moves.
    const { seen } = await walk(shop, () => shop.clock.sleep(7 * 86_400_000));
    expect(seen).toEqual(['u0', 'u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8', 'u9']);
  });

  test('has no next page after a full last page', async () => {
    const { body } = await (await shopWith({ sessions })).post(USERS, { page_size: 10 });
    expect(body.pagination).toEqual({
      page_size: 10,
      current_page: 1,
      next_page: null,
      has_more: false,
      next_cursor: '',
    });
  });

  test('refuses a cursor of another query or a modified cursor', async () => {
    const shop = await shopWith({ sessions });
    const first = await shop.post(USERS, { page_size: 4 });
    const cursor = cursorPaginationSchema.parse(first.body.pagination).next_cursor;
    const [payload = '', signature = ''] = cursor.split('.');
    const moved = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...moved, userId: 'u8' })).toString('base64url');
    const filters = [{ attribute: 'session_crashed', operator: 'equal', value: false }];
    const bodies = [
      { page_size: 4, cursor: `${forged}.${signature}` },
      { page_size: 4, cursor: payload },
      { page_size: 4, cursor: `${cursor}.x` },
      { page_size: 4, cursor, filters },
      { page_size: 5, cursor },
      { page_size: 4, cursor, show_only: ['location'] },
    ];
    for (const body of bodies) {
      const answer = await shop.post(USERS, body);
      expect([answer.status, answer.body.error?.code]).toEqual([400, 'INVALID_CURSOR']);
    }
    expect((await shop.post(USERS, { page_size: 4, cursor })).status).toBe(200);
  });
});
