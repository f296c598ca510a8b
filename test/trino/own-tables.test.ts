import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Apps } from '../../functions/data-access/apps/apps.ts';
import { athenaTables } from '../../functions/data-access/apps/athena-tables.ts';
import { mappedApps } from '../../functions/data-access/apps/mapped-apps.ts';
import { db, portable, type Query } from '../../functions/data-access/engines/query.ts';
import { inSpan } from '../../functions/data-access/queries/question.ts';
import { type SqlTablesInput, sqlTablesSchema } from '../../shared/config/sql-tables.ts';
import { type AthenaStandIn, startAthenaStandIn } from './athena-stand-in.ts';
import { CATALOG } from './server.ts';
import { runStatement } from './statement.ts';

const SCHEMA = 'own';
const { url } = inject('trino');
const run = (statement: string) => runStatement({ url, catalog: CATALOG, schema: SCHEMA }, statement);

let standIn: AthenaStandIn;
beforeAll(async () => {
  standIn = await startAthenaStandIn(url);
  await run(`create schema ${SCHEMA}`);
  // An event per hour from 1 to 20 April 2026, in partitions of days.
  await run(`create table log with (partitioned_by = array['dt', 'year', 'month', 'day', 'day_no', 'day_of'], format = 'PARQUET')
    as select ts, cast(ts as date) as "date", millis, 'buy' as type, n % 7 as who, decimal '2.50' as price,
        '{"coupon": "SPRING", "depth": 2}' as payload,
        map(array['coupon', 'plan'], array['MAP', cast(null as varchar)]) as tags,
        cast(row('ROW', 3) as row(coupon varchar, depth integer)) as details,
        array['Home', 'Cart'] as pages, array[1, 2] as numbers, cast('ios' as varchar(3)) as os,
        date_format(ts, '%Y-%m-%d') as dt, date_format(ts, '%Y') as year, date_format(ts, '%m') as month, date_format(ts, '%d') as day,
        cast(date_format(ts, '%Y%m%d') as integer) as day_no, cast(ts as date) as day_of
      from (select timestamp '2026-04-01 00:00:00.250' + n * interval '1' hour as ts, n,
          1775001600250 + n * 3600000 as millis
        from unnest(sequence(0, 20 * 24 - 1)) as hours (n))`);
  await run(
    `create view zoned as select *, with_timezone(ts, 'UTC') at time zone 'Asia/Tokyo' as tz from log`,
  );
});
afterAll(() => standIn.close());

type Events = SqlTablesInput['apps'][string]['events'];
const COLUMNS = { event_name: 'type', user_id: 'who', recorded_at: 'ts' };

function open(events: Partial<Events>): Promise<Apps> {
  const apps = { shop: { events: { table: 'log', columns: COLUMNS, ...events } } };
  const config = sqlTablesSchema.parse({ engine: 'athena', database: SCHEMA, apps });
  if (config.engine !== 'athena') throw new Error('another engine');
  return mappedApps(
    athenaTables(config, {
      endpoint: standIn.url,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
    }),
  );
}

const refusal = (events: Partial<Events>) =>
  open(events).then(
    () => undefined,
    (error: unknown) => String(error),
  );

const NOW = Date.parse('2026-04-21T00:00:00Z');
/** Two hours around a midnight. */
const SPAN = { from: Date.parse('2026-04-10T23:00:00Z'), to: Date.parse('2026-04-11T01:00:00Z') };
const times = db
  .selectFrom('events')
  .select([sql<number>`min(recorded_at)`.as('first'), sql<number>`count(*)`.as('n')])
  .where(inSpan({ span: SPAN, now: NOW }));

async function ask(events: Partial<Events>, query: Query) {
  const apps = await open(events);
  const found = await apps.withApp({ appId: 'shop', keyId: 'k' }, ({ engine }) => engine.answer(query));
  if (found === undefined) throw new Error('no app');
  return found.answer;
}

describe('a time', () => {
  const HOURS = { first: SPAN.from + 250, n: 2 };
  test.each<{ name: string; events: Partial<Events>; row?: object }>([
    { name: 'a timestamp', events: {} },
    {
      name: 'a timestamp with a time zone',
      events: { table: 'zoned', columns: { ...COLUMNS, recorded_at: 'tz' } },
    },
    { name: 'milliseconds', events: { columns: { ...COLUMNS, recorded_at: 'millis' } } },
    {
      name: 'an expression over a text',
      events: {
        columns: {
          ...COLUMNS,
          recorded_at: { sql: "from_iso8601_timestamp(to_iso8601(with_timezone(ts, 'UTC')))" },
        },
      },
    },
    {
      name: 'a SELECT',
      events: { table: { sql: `select * from ${CATALOG}.${SCHEMA}.log where who >= 0` } },
    },
    {
      name: 'a date',
      events: { columns: { ...COLUMNS, recorded_at: 'date' } },
      row: { first: Date.parse('2026-04-11T00:00:00Z'), n: 24 },
    },
  ])('$name', async ({ events, row = HOURS }) => {
    expect((await ask(events, times)).rows).toEqual([row]);
  });
});

describe('properties', () => {
  const properties = (given: Events['columns'][string]) =>
    ask(
      { columns: { ...COLUMNS, properties: given } },
      db
        .selectFrom('events')
        .select([
          portable.propertyText(sql.ref('properties'), 'coupon').as('coupon'),
          portable.propertyNumber(sql.ref('properties'), 'depth').as('depth'),
          'properties',
        ])
        .limit(1),
    );
  test.each<{ name: string; given: Events['columns'][string]; coupon: string; depth: number | null }>([
    { name: 'a text with JSON', given: 'payload', coupon: 'SPRING', depth: 2 },
    { name: 'JSON', given: { sql: 'json_parse(payload)' }, coupon: 'SPRING', depth: 2 },
    { name: 'a map', given: 'tags', coupon: 'MAP', depth: null },
    { name: 'a row', given: 'details', coupon: 'ROW', depth: 3 },
    {
      name: 'columns of several types',
      given: { coupon: 'os', depth: 'price', pages: 'pages', on: 'date', at: 'ts', tags: 'tags' },
      coupon: 'ios',
      depth: 2.5,
    },
  ])('$name', async ({ given, coupon, depth }) => {
    expect((await properties(given)).rows).toMatchObject([{ coupon, depth }]);
  });
});

test.each([
  {
    name: 'an unknown table',
    events: { table: 'logs' },
    says: /^ConfigError: apps\.shop\.events: Athena cannot read logs: TABLE_NOT_FOUND: .*'awsdatacatalog\.own\.logs' does not exist/,
  },
  {
    name: 'a wrong expression',
    events: { columns: { ...COLUMNS, platform: { sql: 'lowr(os)' } } },
    says: /^ConfigError: apps\.shop\.events\.columns\.platform: Athena cannot read the expression: FUNCTION_NOT_FOUND: .*'lowr'/,
  },
  {
    name: 'a list of numbers as texts',
    events: { columns: { ...COLUMNS, properties: 'numbers' } },
    says: /"numbers" must be a JSON object/,
  },
  {
    name: 'a partition in another format',
    events: { partition: { day: 'dt', format: 'YYYYMMDD' as const } },
    says: /apps\.shop\.events\.partition\.day: 2026-04-\d\d is not a day of the format YYYYMMDD: set format/,
  },
])('$name is refused', async ({ events, says }) => {
  expect(await refusal(events as Partial<Events>)).toMatch(says);
});

describe('partitions', () => {
  /** Parquet has no statistics on an expression. */
  const recorded_at = { sql: "from_iso8601_timestamp(to_iso8601(with_timezone(ts, 'UTC')))" };
  const sum = db
    .selectFrom('events')
    .select([sql<number>`count(*)`.as('n'), sql<number>`sum(length(${sql.ref('user_id')}))`.as('length')])
    .where(inSpan({ span: SPAN, now: NOW }));

  test.each<{ name: string; partition: NonNullable<Events['partition']> }>([
    { name: 'a text', partition: { day: 'dt' } },
    { name: 'a number', partition: { day: 'day_no', format: 'YYYYMMDD' } },
    { name: 'a date', partition: { day: 'day_of' } },
    {
      name: 'columns of years, months and days',
      partition: { day: { sql: "year || '-' || month || '-' || day" } },
    },
  ])('$name limits what a query reads', async ({ partition }) => {
    const columns = { ...COLUMNS, recorded_at };
    const whole = await ask({ columns }, sum);
    const pruned = await ask({ columns, partition: { ...partition, marginDays: 0 } }, sum);
    const wider = await ask({ columns, partition }, sum);
    for (const { rows } of [whole, pruned, wider]) expect(rows).toEqual([{ n: 2, length: 2 }]);
    // Two and four of twenty days.
    expect(pruned.bytesScanned).toBeGreaterThan(0);
    expect(pruned.bytesScanned).toBeLessThan(Number(whole.bytesScanned) / 8);
    expect(wider.bytesScanned).toBeLessThan(Number(whole.bytesScanned) / 4);
  });

  test('derived sessions read the partitions around their days', async () => {
    const columns = { ...COLUMNS, recorded_at, platform: 'os' };
    const platforms = db
      .selectFrom('events')
      .select(['platform', sql<number>`count(*)`.as('n')])
      .where(inSpan({ span: SPAN, now: NOW }))
      .groupBy('platform');
    const whole = await ask({ columns }, platforms);
    const pruned = await ask({ columns, partition: { day: 'dt', marginDays: 0 } }, platforms);
    for (const { rows } of [whole, pruned]) expect(rows).toEqual([{ platform: 'ios', n: 2 }]);
    expect(pruned.bytesScanned).toBeLessThan(Number(whole.bytesScanned) / 2);
  });
});
