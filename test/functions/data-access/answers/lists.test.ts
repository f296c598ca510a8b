import { describe, expect, test } from 'vitest';
import { cursorPaginationSchema } from '../../../../shared/analytics/responses.ts';
import { closingSamples, event, range, type Sample, session } from '../sample-app.ts';

const USERS = '/api/data-access/v1/user';

const shopWith = closingSamples();

const dashboard = { dashboardUrl: 'https://dash.example/', rateLimit: { enforce: false } };

describe('the list of events', () => {
  test('a record', async () => {
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

  test('newest first, then by id, in stable pages of 50 that end where the events do', async () => {
    const of = session();
    const at = (minute: number) =>
      new Date(Date.parse('2026-04-01T10:00:00Z') + minute * 60_000).toISOString();
    // Two by two at the same time, so that the order needs the id.
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

describe('pages far from the first', () => {
  test('go on where those before them ended, over days and through ties', async () => {
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

  test('a record, in either style', async () => {
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

describe('a list in the other style', () => {
  const of = session({ user_id: 'u', user_name: 'ann' });

  test('events and users are the same records', async () => {
    const shop = await shopWith({ sessions: [of, session()], events: [event(of), event(of)] });
    for (const [resource, parameters] of [
      ['event', {}],
      ['user', { show_only: ['usage', 'device'] }],
    ] as const) {
      const legacy = await shop.get(`/v2/${resource}`, { ...parameters, page_size: 1, page: 2 });
      const body = await shop.post(`/api/data-access/v1/${resource}`, parameters);
      expect(body.body.data).toHaveLength(2);
      expect(legacy.body.data).toEqual([body.body.data[1]]);
      expect(legacy.body.pagination).toEqual({ current: 2, next: null, total: 2 });
    }
  });

  test('a walk goes on past an id of any length that can be imported', async () => {
    const long = ['a', 'b', 'c'].map((letter) => session({ user_id: `${letter}${'😀'.repeat(499)}` }));
    const shop = await shopWith({ sessions: long });
    const first = await shop.post('/api/data-access/v1/user', { page_size: 1 });
    const { next_cursor: cursor } = cursorPaginationSchema.parse(first.body.pagination);
    const second = await shop.post('/api/data-access/v1/user', { page_size: 1, cursor });
    expect(second.body.data[0]?.svcUserId).toBe(long[1]?.user_id);
  });

  test('a walk through events sees each once', async () => {
    const at = (minute: number) =>
      new Date(Date.parse('2026-04-01T10:00:00Z') + minute * 60_000).toISOString();
    const events = Array.from({ length: 7 }, (_, index) =>
      event(of, { event_id: `e${index}`, recorded_at: at(Math.floor(index / 3)) }),
    );
    const shop = await shopWith({ sessions: [of], events });
    const seen: unknown[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { body } = await shop.post('/api/data-access/v1/event', {
        page_size: 3,
        ...(cursor && { cursor }),
      });
      seen.push(...body.data.map((row) => row.eventId));
      const { next_cursor: next } = cursorPaginationSchema.parse(body.pagination);
      cursor = next || undefined;
    }
    expect(seen).toEqual(['e6', 'e3', 'e4', 'e5', 'e0', 'e1', 'e2']);
  });
});

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

  test('usage by default: counts of the window beside those of all time', async () => {
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

  test('sections of a phone and of a browser, last seen first', async () => {
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

  const rows: [name: string, filters: object[], found: string[]][] = [
    [
      'the device of the latest session',
      [{ attribute: 'app_version', operator: 'equal', value: '2.0' }],
      ['p'],
    ],
    [
      'not of an earlier one, window or not',
      [{ attribute: 'app_version', operator: 'equal', value: '1.0' }],
      [],
    ],
    [
      'the latest of all time, though the window ends before it',
      [range('2026-01-01', '2026-01-02'), { attribute: 'app_version', operator: 'equal', value: '2.0' }],
      ['p'],
    ],
    ['a session in the window', [{ attribute: 'session_duration', operator: 'equal', value: 30 }], ['p']],
    ['not one before it', [{ attribute: 'session_duration', operator: 'equal', value: 12 }], []],
    [
      'one session that has it all',
      [
        range('2026-01-01', '2026-04-10'),
        { attribute: 'session_duration', operator: 'equal', value: 12 },
        { attribute: 'session_number_of_user', operator: 'equal', value: 2 },
      ],
      [],
    ],
    ['sums over the window', [{ attribute: 'user_session_duration', operator: 'greater', value: 59 }], ['w']],
    [
      'sums over a wider window',
      [range('2026-01-01', '2026-04-10'), { attribute: 'user_session_count', operator: 'equal', value: 2 }],
      ['p'],
    ],
    ['first seen', [{ attribute: 'user_first_seen_on', operator: 'on', value: '2026-01-01' }], ['p']],
    [
      'first seen, otherwise',
      [{ attribute: 'user_first_seen_on', operator: 'not_on', value: '2026-01-01' }],
      ['w'],
    ],
    [
      'last seen',
      [
        {
          attribute: 'user_last_seen_on',
          operator: 'between_dates',
          value: { lower: '2026-04-02', upper: '2026-04-02' },
        },
      ],
      ['p'],
    ],
    ['events of their sessions', [{ attribute: 'event_name', operator: 'equal', value: 'purchase' }], ['w']],
    [
      'a property',
      [{ attribute: 'user_custom_property', property_name: 'plan', operator: 'equal', value: 'pro' }],
      ['p'],
    ],
    ['the first session', [{ attribute: 'user_first_utm', operator: 'equal', value: 'spring' }], ['w']],
  ];
  test.each(rows)('filters by %s', async (_, filters, found) => {
    const shop = await shopWith({ sessions: [before, phone, browser], events: [event(browser)] });
    const { body } = await shop.post(USERS, { filters });
    expect(body.data.map((user) => user.svcUserId)).toEqual(found);
  });

  test('a filter chooses users, the window what is counted of them', async () => {
    const other = session({ ...phone, session_id: 'other', duration_sec: 5, crashed: true });
    const shop = await shopWith({ sessions: [phone, other] });
    const filters = [{ attribute: 'session_crashed', operator: 'equal', value: true }];
    const { body } = await shop.post(USERS, { filters });
    expect(body.data[0]?.usage).toMatchObject({ totalSession: 2, totalSessionTime: 35 });
  });
});

describe('a walk through the users', () => {
  // Three at each time, so that pages part users who were last seen together.
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

  test('sees each once', async () => {
    const { pages, seen } = await walk(await shopWith({ sessions }));
    expect(seen).toEqual(['u0', 'u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8', 'u9']);
    expect(pages).toEqual([
      [1, 2, true],
      [2, 3, true],
      [3, null, false],
    ]);
  });

  test('sees what was there when it began, though days pass and users come and go on', async () => {
    const later = { uploaded_at: '2026-04-10T18:00:00Z' };
    const shop = await shopWith({
      sessions: [
        ...sessions,
        session({ user_id: 'new', recorded_at: '2026-04-01T10:00:00Z', ...later }),
        session({ user_id: 'u9', recorded_at: '2026-04-10T17:00:00Z', ...later }),
      ],
    });
    // A week each: the last page is read when the default window has long moved on.
    const { seen } = await walk(shop, () => shop.clock.sleep(7 * 86_400_000));
    expect(seen).toEqual(['u0', 'u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8', 'u9']);
  });

  test('a full last page has no next', async () => {
    const { body } = await (await shopWith({ sessions })).post(USERS, { page_size: 10 });
    expect(body.pagination).toEqual({
      page_size: 10,
      current_page: 1,
      next_page: null,
      has_more: false,
      next_cursor: '',
    });
  });

  test('a cursor is good for its query alone, and not when changed', async () => {
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
