import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../../functions/data-access/engines/query.ts';
import type { AppsInput, Database } from './databases.ts';
import { postgres } from './databases.ts';

let database: Database;
beforeAll(async () => {
  database = await postgres();
  await database.run(`create schema shop;
    create table shop."Log" (ts timestamptz, type text, customer uuid, amount numeric, ok boolean, millis bigint,
      seconds bigint, day date, tags text[], data jsonb);
    insert into shop."Log" (millis, seconds) values (1775000000000, 1775000000)`);
});
afterAll(() => database.close());

type Columns = AppsInput[string]['events']['columns'];
const COLUMNS = { event_name: 'type', user_id: 'customer', recorded_at: 'ts' };

/** The sentence of a refusal. */
async function refusal(columns: Columns, table: AppsInput[string]['events']['table'] = 'shop.Log') {
  const error: unknown = await database.open({ demo: { events: { table, columns } } }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error === undefined ? undefined : String(error);
}

describe('columns that fit', () => {
  test.each<{ name: string; columns: object }>([
    { name: 'a timestamp', columns: {} },
    { name: 'a date', columns: { recorded_at: 'day' } },
    { name: 'milliseconds', columns: { recorded_at: 'millis' } },
    { name: 'seconds with an expression', columns: { recorded_at: { sql: 'seconds * 1000' } } },
    { name: 'an expression', columns: { platform: { sql: 'lower(type)' } } },
    { name: 'a column with JSON', columns: { properties: 'data' } },
    { name: 'several columns as properties', columns: { properties: { amount: 'amount', isOk: 'ok' } } },
    { name: 'a flag and a count', columns: { crashed: 'ok', gesture_count: 'amount' } },
  ])('$name', async ({ columns }) => {
    expect(await refusal({ ...COLUMNS, ...columns })).toBeUndefined();
  });

  test('more properties than one function of PostgreSQL takes', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 51 }, (_, at) => [`p${at}`, { sql: `${at}` }]),
    );
    const columns = { ...COLUMNS, properties };
    const sql = "select now() as ts, 'buy' as type, 'ann' as customer";
    const apps = await database.open({ demo: { events: { table: { sql }, columns } } });
    const found = await apps.withApp({ appId: 'demo', keyId: 'k' }, ({ engine }) =>
      engine.answer(db.selectFrom('events').select('properties')),
    );
    const [row] = found?.answer.rows ?? [];
    expect(JSON.parse(String(row?.properties))).toEqual(
      Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`p${at}`, at])),
    );
  });

  test('a SELECT instead of a table', async () => {
    expect(
      await refusal(COLUMNS, { sql: 'select ts, type, customer from shop."Log" where ok' }),
    ).toBeUndefined();
  });
});

test.each([
  {
    name: 'an unknown column',
    columns: { event_name: 'typ' },
    says: 'apps.demo.events.columns.event_name: shop.Log has no column "typ"; did you mean "type"? Its columns are ts, type, customer, amount, ok, millis, seconds, day, tags, data',
  },
  {
    name: 'a column that resembles no other',
    columns: { event_name: 'qqqqqqqq' },
    says: 'apps.demo.events.columns.event_name: shop.Log has no column "qqqqqqqq"; its columns are ts, type, customer, amount, ok, millis, seconds, day, tags, data',
  },
  {
    name: 'an unknown column of a property',
    columns: { properties: { price: 'amounts' } },
    says: 'apps.demo.events.columns.properties.price: shop.Log has no column "amounts"; did you mean "amount"? Its columns are ts, type, customer, amount, ok, millis, seconds, day, tags, data',
  },
  {
    name: 'an expression with a mistake',
    columns: { platform: { sql: 'lowr(type)' } },
    says: 'apps.demo.events.columns.platform: PostgreSQL cannot read the expression: function lowr(text) does not exist',
  },
  {
    name: 'a time that is a text',
    columns: { recorded_at: 'type' },
    says: 'apps.demo.events.columns.recorded_at: "type" must be a timestamp, or a number of milliseconds: use { sql: "an expression" }',
  },
  {
    name: 'a time in seconds',
    columns: { recorded_at: 'seconds' },
    says: `apps.demo.events.columns.recorded_at: 1775000000 is not a time in milliseconds since 1970: use { sql: 'cast("seconds" as bigint) * 1000' }`,
  },
  {
    name: 'a flag that is a number',
    columns: { crashed: 'amount' },
    says: 'apps.demo.events.columns.crashed: "amount" must be true or false: use { sql: "an expression" }',
  },
  {
    name: 'properties that are a list',
    columns: { properties: 'tags' },
    says: 'apps.demo.events.columns.properties: "tags" must be a JSON object: use { sql: "an expression" }',
  },
])('$name is refused', async ({ columns, says }) => {
  expect(await refusal({ ...COLUMNS, ...columns })).toBe(`ConfigError: ${says}`);
});

test.each([
  { table: 'shop.Logs', says: 'PostgreSQL cannot read shop.Logs: relation "shop.Logs" does not exist' },
  { table: 'shop.log', says: 'PostgreSQL cannot read shop.log: relation "shop.log" does not exist' },
])('the table $table is refused', async ({ table, says }) => {
  expect(await refusal(COLUMNS, table)).toBe(`ConfigError: apps.demo.events: ${says}`);
});

test.each([
  {
    name: 'in another format',
    partition: { day: 'day_text', format: 'YYYY/MM/DD' } as const,
    says: 'partition.day: 2026-04-01 is not a day of the format YYYY/MM/DD: set format, or use { sql: "an expression" }',
  },
  {
    name: 'with seconds instead of a day',
    partition: { day: 'seconds' },
    says: 'partition.day: 1775000000 is not a day of the format YYYYMMDD: set format, or use { sql: "an expression" }',
  },
  {
    name: 'of another type',
    partition: { day: 'ok' },
    says: 'partition.day: "ok" must be a day: use { sql: "an expression" }',
  },
])('a partition $name is refused', async ({ partition, says }) => {
  const table = { sql: 'select *, \'2026-04-01\' as day_text from shop."Log"' };
  const events = { table, partition, columns: COLUMNS };
  await expect(database.open({ demo: { events } })).rejects.toThrow(`apps.demo.events.${says}`);
});

test('PostgreSQL reads no files', async () => {
  await expect(database.open({ demo: { events: { files: '*.csv', columns: COLUMNS } } })).rejects.toThrow(
    'apps.demo.events.files: PostgreSQL reads no files: name a table',
  );
});
