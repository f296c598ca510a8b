import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Apps } from '../../functions/data-access/apps/apps.ts';
import { openTables } from '../../functions/data-access/apps/open-tables.ts';
import { connectClickHouse } from '../../functions/data-access/engines/clickhouse/client.ts';
import { db, portable, type Query } from '../../functions/data-access/engines/query.ts';
import { type SqlTablesInput, sqlTablesSchema } from '../../shared/config/sql-tables.ts';
import { documentAt } from '../docs/documents.ts';
import { configsIn, ORDERS_BY_PLATFORM } from '../docs/sql-configs.ts';
import { everythingIn } from '../fixtures/everything-in.ts';
import { sample } from '../functions/data-access/sample-app.ts';
import { runStatement } from './clickhouse-database.ts';

const { url } = inject('clickhouse');
const PASSWORD = new URL(url).password;
const run = (statement: string) => runStatement(url, statement);

let opened: Apps | undefined;
beforeEach(async () => {
  await run('drop database if exists team');
  await run('create database team');
});
afterEach(() => {
  opened?.close();
  opened = undefined;
});

type Given = Partial<Extract<SqlTablesInput, { engine: 'clickhouse' }>>;
type Columns = SqlTablesInput['apps'][string]['events']['columns'];

async function open(given: Given, secret = url): Promise<Apps> {
  const apps = { shop: { events: { table: 'team.log', columns: COLUMNS } } };
  const config = sqlTablesSchema.parse({ engine: 'clickhouse', urlSecret: 'team/url', apps, ...given });
  opened = await openTables(config, { folder: '.', readSecret: async () => secret });
  return opened;
}

const COLUMNS: Columns = { event_name: 'type', user_id: 'who', recorded_at: 'ts' };
const withColumns = (columns: Columns): Given => ({
  apps: { shop: { events: { table: 'team.log', columns: { ...COLUMNS, ...columns } } } },
});

/** An event a second from 1 April 2026. */
const createLog = () =>
  run(`create table team.log engine = MergeTree order by ts as
    select toDateTime('2026-04-01 00:00:00', 'Asia/Tokyo') + number as ts, 'buy' as type, 'u' || toString(number) as who
    from numbers(1000)`);

const COUNT: Query = db.selectFrom('events').select(sql<number>`count(*)`.as('n'));
const SCREENS: Query = db.selectFrom('events').select(sql<number>`count(${sql.ref('screen_name')})`.as('n'));

async function ask(apps: Apps, query: Query, signal?: AbortSignal) {
  const found = await apps.withApp({ appId: 'shop', keyId: 'k' }, ({ engine }) =>
    engine.answer(query, signal),
  );
  return found?.answer.rows;
}

describe('the types of ClickHouse', () => {
  test.each<{ name: string; type: string; value: string; coupon?: string | null; depth?: number | null }>([
    { name: 'a text with JSON', type: 'String', value: `'{"coupon":"A","depth":2}'`, coupon: 'A', depth: 2 },
    { name: 'JSON', type: 'JSON', value: `'{"coupon":"A","depth":2}'`, coupon: 'A', depth: 2 },
    {
      name: 'a map',
      type: 'Map(String, String)',
      value: "{'coupon': 'A', 'depth': '2'}",
      coupon: 'A',
      depth: null,
    },
    {
      name: 'a map of numbers',
      type: 'Map(String, Float64)',
      value: "{'depth': 2.5}",
      coupon: null,
      depth: 2.5,
    },
    { name: 'a tuple', type: 'Tuple(coupon String, depth Int64)', value: "('A', 2)", coupon: 'A', depth: 2 },
    {
      name: 'a number beyond 64 bits',
      type: 'String',
      value: `'{"depth":1${'0'.repeat(20)}}'`,
      coupon: null,
      depth: 1e20,
    },
    {
      name: 'a text with quotes',
      type: 'String',
      value: `'{"coupon":"it\\\\\\'s \\\\"x\\\\""}'`,
      coupon: `it's "x"`,
      depth: null,
    },
  ])('properties in $name', async ({ type, value, coupon, depth }) => {
    await run(`create table team.log (ts DateTime, type String, who String, extra ${type}) engine = Memory`);
    await run(
      `insert into team.log values ('2026-04-01 00:00:00', 'buy', 'u', ${value.replaceAll("\\\\\\'", "\\'")})`,
    );
    const apps = await open(withColumns({ properties: 'extra' }));
    const [row] =
      (await ask(
        apps,
        db
          .selectFrom('events')
          .select([
            portable.propertyText(sql.ref('properties'), 'coupon').as('coupon'),
            portable.propertyNumber(sql.ref('properties'), 'depth').as('depth'),
          ]),
      )) ?? [];
    expect(row).toEqual({ coupon, depth });
  });

  test.each(['DateTime', "DateTime('Asia/Tokyo')", "DateTime64(6, 'America/New_York')"])(
    'a time in %s is that moment',
    async (type) => {
      await run(`create table team.log (ts ${type}, type String, who String) engine = Memory`);
      await run("insert into team.log select toDateTime64('2026-04-01 10:00:00', 3, 'UTC'), 'buy', 'u'");
      const apps = await open({});
      const times = db.selectFrom('events').select(sql<number>`max(${sql.ref('recorded_at')})`.as('at'));
      expect(await ask(apps, times)).toEqual([{ at: Date.parse('2026-04-01T10:00:00Z') }]);
    },
  );

  test('an empty text is no user and no country, because most columns have no NULL', async () => {
    await run(
      'create table team.log (ts DateTime, type LowCardinality(String), who String, land String) engine = Memory',
    );
    await run("insert into team.log values (1775001600, 'buy', '', ''), (1775001600, 'buy', 'ann', 'DE')");
    const apps = await open(withColumns({ country: 'land' }));
    const lands = db.selectFrom('events').select(['user_id', 'country']).orderBy('country');
    expect(await ask(apps, lands)).toEqual([
      { user_id: 'ann', country: 'DE' },
      { user_id: null, country: null },
    ]);
  });
});

describe('a user whose profile only reads', () => {
  const as = (username: string) => Object.assign(new URL(url), { username }).href;

  test('with readonly = 2 gives figures', async () => {
    await createLog();
    expect(await ask(await open({}, as('reader')), COUNT)).toEqual([{ n: 1000 }]);
  });

  test('with readonly = 1 is refused, with what it needs', async () => {
    await createLog();
    expect(String(await open({}, as('strict')).catch((error: unknown) => error))).toContain(
      'the user needs readonly = 2',
    );
  });

  test('and nobody else writes either', async () => {
    const client = await connectClickHouse({ url, connections: 1 });
    const { signal } = new AbortController();
    const written = client.run('create table team.mine (a String) engine = Memory', {
      signal,
      timeoutMs: 9_000,
    });
    await expect(written).rejects.toMatchObject({ code: '164' });
    await client.close();
  });
});

describe('limits', () => {
  /** An expression that takes long when it is read, but not when it is checked. */
  const SLOW = withColumns({ screen_name: { sql: 'toString(sleepEachRow(0.02)) || type' } });

  test('a query ends at the time limit', async () => {
    await createLog();
    const apps = await open({ ...SLOW, timeoutSeconds: 1 });
    await expect(ask(apps, SCREENS)).rejects.toMatchObject({
      name: 'QueryLimitError',
      message: 'stopped at the time limit of a request',
    });
  });

  test('a caller who leaves does not wait', async () => {
    await createLog();
    const apps = await open(SLOW);
    const caller = new AbortController();
    const left = new Error('left');
    const asked = ask(apps, SCREENS, caller.signal);
    caller.abort(left);
    await expect(asked).rejects.toBe(left);
  });

  test('more queries than connections wait for each other', async () => {
    await createLog();
    const apps = await open({ connections: 1 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(apps, COUNT)));
    expect(answers).toEqual(answers.map(() => [{ n: 1000 }]));
  });
});

describe('a failure names the cause, and neither the URL nor SQL', () => {
  const withPart = (part: Partial<Pick<URL, 'password' | 'port' | 'pathname'>>) =>
    Object.assign(new URL(url), part).href;

  test.each([
    {
      name: 'a wrong password',
      secret: withPart({ password: 'wrong-word' }),
      says: /user or the password \(516\)/,
    },
    {
      name: 'a port without a server',
      secret: withPart({ port: '1' }),
      says: /cannot be reached \(ECONNREFUSED\)/,
    },
    {
      name: 'another URL',
      secret: 'tcp://user:wrong-word@example.com:9000',
      says: /must have the form clickhouse:\/\/user:password@host:8443\/database/,
    },
  ])('$name', async ({ secret, says }) => {
    await createLog();
    const failure: unknown = await open({}, secret).catch((error: unknown) => error);
    expect(String(failure)).toMatch(says);
    expect(everythingIn(failure)).not.toMatch(new RegExp(`${PASSWORD}|wrong-word`));
  });

  test('a table that was dropped later', async () => {
    await createLog();
    const apps = await open({});
    await run('drop table team.log');
    const failure = await ask(apps, COUNT).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      message: 'ClickHouse rejected the query: a table is missing (60)',
      code: 'INTERNAL',
    });
    expect(everythingIn(failure)).not.toMatch(/select|team/i);
  });

  test.each<{ name: string; given: Given; says: RegExp }>([
    {
      name: 'an unknown table',
      given: { apps: { shop: { events: { table: 'team.logs', columns: COLUMNS } } } },
      says: /^ConfigError: apps\.shop\.events: ClickHouse cannot read team\.logs: .*team\.logs/,
    },
    {
      name: 'an unknown column',
      given: withColumns({ user_id: 'whom' }),
      says: /team\.log has no column "whom"; did you mean "who"\?/,
    },
    {
      name: 'a wrong expression',
      given: withColumns({ platform: { sql: 'lowr(type)' } }),
      says: /^ConfigError: apps\.shop\.events\.columns\.platform: ClickHouse cannot read the expression: .*lowr/,
    },
  ])('$name', async ({ given, says }) => {
    await createLog();
    expect(String(await open(given).catch((error: unknown) => error))).toMatch(says);
  });
});

test('sql-tables.md shows a table of ClickHouse and its configuration', async () => {
  const page = documentAt('docs/how-to/sql-tables.md');
  const config = configsIn(page).find((each) => sqlTablesSchema.parse(each).engine === 'clickhouse') as Given;
  await run(`create table team.activity (occurred_at DateTime64(3), action LowCardinality(String), customer_no UInt64,
    os LowCardinality(String), details Map(String, String)) engine = MergeTree order by (action, occurred_at)`);
  await run(`insert into team.activity values ('2026-04-01 09:10:00', 'order', 17, 'iOS', {'coupon': 'SPRING', 'price': '20'}),
    ('2026-04-01 10:12:00', 'order', 17, '', {'price': '35.5'}), ('2026-04-01 10:05:00', 'search', 23, 'iOS', {})`);
  const inDatabase = `${url}/team`;
  const service = await sample({ service: { apps: await open(config, inDatabase) } });
  const { body } = await service.post('/api/data-access/v1/event/analytics', ORDERS_BY_PLATFORM);
  expect(body.data).toEqual([
    { device_platform: 'ios', event_count: 1, sum_event_custom_property_price: 20 },
    { device_platform: 'web', event_count: 1, sum_event_custom_property_price: 35.5 },
  ]);
  await service.close();
});
