import { expect, test } from 'vitest';
import { type SqlTablesInput, sqlTablesSchema } from '../../../shared/config/sql-tables.ts';

const COLUMNS = { event_name: 'type', user_id: 'who', recorded_at: 'ts' };
const EVENTS = { table: 'log', columns: COLUMNS };
const SESSIONS = { table: 'visits', columns: { session_id: 'id', user_id: 'who', recorded_at: 'ts' } };

const parse = (app: object, rest: object = {}) =>
  sqlTablesSchema.safeParse({ engine: 'postgres', urlSecret: 'url', apps: { shop: app }, ...rest });

test('only events with three columns are required', () => {
  const config: SqlTablesInput = { engine: 'postgres', urlSecret: 'url', apps: { shop: { events: EVENTS } } };
  expect(sqlTablesSchema.parse(config)).toMatchObject({
    timeoutSeconds: 60,
    connections: 4,
    apps: { shop: { zone: 'UTC', events: EVENTS } },
  });
});

test('Athena needs a database', () => {
  const athena = (settings: object) =>
    sqlTablesSchema.safeParse({ engine: 'athena', apps: { shop: { events: EVENTS } }, ...settings });
  expect(athena({ database: 'analytics' }).data).toMatchObject({
    workgroup: 'primary',
    catalog: 'AwsDataCatalog',
    timeoutSeconds: 60,
  });
  expect(athena({}).error?.issues[0]?.path).toEqual(['database']);
  expect(athena({ database: 'analytics', region: 'Frankfurt' }).error?.issues[0]?.message).toBe(
    'must be an AWS region, such as "eu-central-1"',
  );
});

test('a partition is a day with a margin', () => {
  expect(parse({ events: { ...EVENTS, partition: { day: 'dt' } } }).data).toMatchObject({
    apps: { shop: { events: { partition: { day: 'dt', format: 'YYYY-MM-DD', marginDays: 1 } } } },
  });
});

test('a column is a name or an expression, and properties may be several columns', () => {
  const columns = {
    ...COLUMNS,
    platform: { sql: 'lower(os)' },
    properties: { amount: 'price', coupon: { sql: "data ->> 'coupon'" } },
  };
  expect(parse({ events: { table: 'log', columns } }).error).toBeUndefined();
});

test.each([
  {
    name: 'a missing column',
    app: { events: { table: 'log', columns: { event_name: 'type', user_id: 'who' } } },
    says: 'events.columns.recorded_at is required: name its column',
  },
  {
    name: 'an unknown column',
    app: { events: { table: 'log', columns: { ...COLUMNS, platfrom: 'os' } } },
    says: 'events.columns.platfrom is not a column that is read; did you mean "platform"?',
  },
  {
    name: 'several columns for one that is not JSON',
    app: { events: { table: 'log', columns: { ...COLUMNS, platform: { a: 'b' } } } },
    says: 'events.columns.platform must be the name of a column, or { sql: "an expression" }',
  },
  {
    name: 'a table and files',
    app: { events: { ...EVENTS, files: '*.csv' } },
    says: 'events must have either table or files',
  },
  {
    name: 'sessions without the session of each event',
    app: { events: EVENTS, sessions: SESSIONS },
    says: 'events.columns.session_id is required: with a table of sessions, each event names its session',
  },
  {
    name: 'a description of the session in events',
    app: {
      events: { table: 'log', columns: { ...COLUMNS, session_id: 'v', platform: 'os' } },
      sessions: SESSIONS,
    },
    says: 'events.columns.platform describes a session: map it in sessions, because the app has a table of sessions',
  },
  {
    name: 'a partition of users',
    app: {
      events: EVENTS,
      users: { table: 'people', partition: { day: 'dt' }, columns: { user_id: 'who' } },
    },
    says: 'users.partition is only for tables with recorded_at: users are read as a whole',
  },
])('$name is refused', ({ app, says }) => {
  const { error } = parse(app);
  expect(error?.issues.map(({ path, message }) => `${path.slice(2).join('.')} ${message}`)).toEqual([says]);
});

test('a configuration without apps, and a URL instead of a secret, are refused', () => {
  expect(parse({ events: EVENTS }, { apps: {} }).error?.issues[0]?.message).toBe('must have an app');
  expect(parse({ events: EVENTS }, { url: 'postgres://u:p@h/d' }).success).toBe(false);
});
