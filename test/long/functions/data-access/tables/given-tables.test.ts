import { afterEach, expect, test } from 'vitest';
import { range, type Sample, sample } from '../../../../functions/data-access/sample-app.ts';
import {
  type AppsInput,
  DATABASES,
  type Database,
} from '../../../../functions/data-access/tables/databases.ts';

let database: Database;
let service: Sample;
afterEach(async () => {
  await service.close();
  await database.close();
});

const EVENTS = [
  { visit: 'v1', who: 'ann', at: '2026-04-01T10:00:00Z', what: 'view', page: 'Home' },
  { visit: 'v1', who: 'ann', at: '2026-04-01T10:00:20Z', what: 'view', page: 'Home' },
  { visit: 'v1', who: 'ann', at: '2026-04-01T10:00:50Z', what: 'buy', page: 'Cart' },
  { visit: 'v2', who: 'ann', at: '2026-04-03T10:00:00Z', what: 'view', page: 'Cart' },
  { visit: 'v3', who: 'ben', at: '2026-04-03T11:00:00Z', what: 'buy', page: null },
  { visit: 'gone', who: null, at: '2026-04-03T12:00:00Z', what: 'buy', page: null },
];
const SESSIONS = [
  { id: 'v1', who: 'ann', begin: '2026-04-01T10:00:00Z', seconds: 80, os: 'iOS', source: 'spring' },
  { id: 'v2', who: 'ann', begin: '2026-04-03T10:00:00Z', seconds: 15, os: null, source: 'summer' },
  { id: 'v3', who: 'ben', begin: '2026-04-03T11:00:00Z', seconds: 5, os: 'Android', source: null },
];
/** A user may have several rows. */
const USERS = [
  { who: 'ann', plan: 'pro', login: 'Ann' },
  { who: 'ann', plan: 'pro', login: 'Ann' },
];

const SHOP: AppsInput[string] = {
  zone: 'UTC',
  events: {
    table: 'log',
    columns: {
      session_id: 'visit',
      user_id: 'who',
      recorded_at: 'at',
      event_name: 'what',
      screen_name: 'page',
    },
  },
  sessions: {
    table: 'visits',
    columns: {
      session_id: 'id',
      user_id: 'who',
      recorded_at: 'begin',
      duration_sec: 'seconds',
      platform: 'os',
      utm: 'source',
    },
  },
  users: {
    table: 'people',
    columns: { user_id: 'who', user_name: 'login', user_properties: { plan: 'plan' } },
  },
};

const DAY = [range('2026-04-03', '2026-04-03')];

async function open(start: () => Promise<Database>): Promise<void> {
  database = await start();
  const text = { who: 'text' };
  await database.create(
    'log',
    { visit: 'text', ...text, at: 'timestamptz', what: 'text', page: 'text' },
    EVENTS,
  );
  await database.create(
    'visits',
    { id: 'text', ...text, begin: 'timestamptz', seconds: 'integer', os: 'text', source: 'text' },
    SESSIONS,
  );
  await database.create('people', { ...text, plan: 'text', login: 'text' }, USERS);
  service = await sample({ service: { apps: await database.open({ shop: SHOP }) } });
}

const named = (event_name: string, event_count: number, first_seen: string, last_seen: string) => ({
  ...{ event_name, event_count, first_seen, last_seen },
});

async function rowsOf(resource: string, body: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { body: answer } = await service.post(`/api/data-access/v1/${resource}/analytics`, body);
  return answer.error ?? answer.data;
}

test.each(DATABASES)('tables of events, sessions and users in $name', async ({ start }) => {
  await open(start);
  // The first session of ann was two days before, so only ben is new.
  const users = {
    filters: DAY,
    aggregation: [{ attribute: 'session_count' }, { attribute: 'session_new_users_count' }],
  };
  expect(await rowsOf('session', users)).toEqual([{ session_count: 2, session_new_users_count: 1 }]);
  // An event whose session is missing counts, without a platform.
  const platforms = {
    filters: DAY,
    group_by: [{ attribute: 'device_platform' }],
    aggregation: [{ attribute: 'event_count' }],
  };
  expect(await rowsOf('event', platforms)).toEqual([
    { device_platform: 'android', event_count: 1 },
    { device_platform: 'web', event_count: 1 },
    { device_platform: null, event_count: 1 },
  ]);
  const listed = await service.get('/v2/event/catalogue');
  expect(listed.body.data).toEqual([
    { ...named('buy', 3, '2026-04-01T10:00:50.000Z', '2026-04-03T12:00:00.000Z'), properties: [] },
    { ...named('view', 3, '2026-04-01T10:00:00.000Z', '2026-04-03T10:00:00.000Z'), properties: [] },
  ]);
  const plans = { filters: DAY, group_by: [{ attribute: 'user_custom_property', property_name: 'plan' }] };
  expect(await rowsOf('session', { ...plans, aggregation: [{ attribute: 'session_count' }] })).toEqual([
    { user_custom_property_plan: 'pro', session_count: 1 },
    { user_custom_property_plan: null, session_count: 1 },
  ]);
  const origins = { filters: DAY, group_by: [{ attribute: 'user_first_utm' }] };
  expect(await rowsOf('session', { ...origins, aggregation: [{ attribute: 'session_count' }] })).toEqual([
    { user_first_utm: 'spring', session_count: 1 },
    { user_first_utm: null, session_count: 1 },
  ]);
  const { body } = await service.post('/api/data-access/v1/user', {
    filters: DAY,
    show_only: ['usage', 'property'],
  });
  expect(body.data).toMatchObject([
    { svcUserId: 'ben', userId: 'ben', usage: { totalSession: 1 } },
    {
      svcUserId: 'ann',
      userId: 'Ann',
      usage: { totalSession: 1, totalLifetime: { totalSession: 2, totalSessionTime: 95 } },
    },
  ]);
});

test.each(DATABASES)(
  'screen visits in $name end with the next screen or with the session',
  async ({ start }) => {
    await open(start);
    const visits = await rowsOf('screen', {
      filters: [range('2026-04-01', '2026-04-03')],
      group_by: [{ attribute: 'screen_name' }, { attribute: 'session_id' }],
      aggregation: [
        { attribute: 'screen_visits' },
        { attribute: 'time_on_screen', operator: 'sum' },
        { attribute: 'exits' },
      ],
    });
    expect(visits).toEqual([
      { screen_name: 'Cart', session_id: 'v1', screen_visits: 1, sum_time_on_screen: 30, exits: 1 },
      { screen_name: 'Cart', session_id: 'v2', screen_visits: 1, sum_time_on_screen: 15, exits: 1 },
      { screen_name: 'Home', session_id: 'v1', screen_visits: 1, sum_time_on_screen: 50, exits: 0 },
    ]);
  },
);
