import { DuckDBInstance } from '@duckdb/node-api';
import { sql } from 'kysely';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { DuckDbCompiler } from '../../functions/data-access/engines/duckdb/compiler.ts';
import { type Batch, column, db, portable } from '../../functions/data-access/engines/query.ts';
import { rowsOfApp, TrinoCompiler } from '../../functions/data-access/engines/trino/compiler.ts';
import { fillTables } from './sample-rows.ts';
import { runStatement } from './statement.ts';
import { exportApp, tablesOf } from './tables.ts';

const APP = 'portable';
// biome-ignore format: a compact list
const NAMES = [
  'plain', 'Plain', '', ' ', '0', 'a.b', 'a"b', 'a\\b', 'a[0]', "it's", 'a/b', 'a~1b', '$', '*', '@', '?', 'length()',
  '"', '\\', '\\"', '"]', 'é', '😀', 'x\0y', '\u0001', '\n',
];
// Without numbers from 1e21: JSON writes `1e+21`, and DuckDB returns `1e21`.
// biome-ignore format: as above
const VALUES = [
  1, -2.5, 1e20, 1e-7, 0, 2 ** 53, 'text', '12', '', 'NaN', 'null', 'a"b\\c\n\0é😀', true, false,
  null, {}, [], { b: [1, 'x', null], a: { c: 'é/' } },
];
/** Objects with all names. Over all objects, each name has each value once. */
const OBJECTS = VALUES.map((_, shift) =>
  Object.fromEntries(NAMES.map((name, at) => [name, VALUES[(at + shift) % VALUES.length]])),
);

let connection: Awaited<ReturnType<DuckDBInstance['connect']>>;

beforeAll(async () => {
  connection = await (await DuckDBInstance.create(':memory:')).connect();
  await fillTables(connection, OBJECTS.length);
  for (const [at, properties] of OBJECTS.entries())
    await connection.run('UPDATE events SET properties = $1 WHERE event_id = $2', [
      JSON.stringify(properties),
      `it's ${at}`,
    ]);
  await exportApp(connection, APP, inject('trino').storage);
});

/** The results of both engines for the same expressions, by event. */
async function answers(expressions: readonly Batch[]) {
  const query = db
    .selectFrom('events')
    .select(expressions.map((expression, at) => sql`${expression}`.as(`c${at}`)))
    .where(portable.inDays('2024-02-29', '2024-12-31'))
    .orderBy('recorded_at');
  const compiled = new DuckDbCompiler().compile(query);
  const reader = await connection.runAndReadAll(compiled.sql, compiled.parameters.map(String));
  const { url } = inject('trino');
  const trino = await runStatement(tablesOf(url), new TrinoCompiler(rowsOfApp(APP)).compile(query).sql);
  const duckDb = reader
    .getRowsJS()
    .map((row) => row.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell)));
  return { duckDb, trino: trino.rows };
}

const properties = column('properties');

test('propertyText returns the same text for any name', async () => {
  const { duckDb, trino } = await answers(NAMES.map((name) => portable.propertyText(properties, name)));
  expect(trino).toEqual(duckDb);
  expect(trino[0]?.[0]).toBe('1');
  expect(trino.flat().filter((cell) => cell === null)).toHaveLength(NAMES.length);
});

test('propertyNumber returns the same number, and null for other values', async () => {
  const { duckDb, trino } = await answers(NAMES.map((name) => portable.propertyNumber(properties, name)));
  expect(trino).toEqual(duckDb);
  const numbers = OBJECTS.map((object) =>
    NAMES.map((name) => (typeof object[name] === 'number' ? object[name] : null)),
  );
  expect(trino).toEqual(numbers);
});

test('a missing property is null', async () => {
  const { duckDb, trino } = await answers([
    portable.propertyText(properties, 'missing'),
    portable.propertyNumber(properties, 'plain/a'),
  ]);
  expect(trino).toEqual(duckDb);
  expect(new Set(trino.flat())).toEqual(new Set([null]));
});

test('hasAny and contains return the same results', async () => {
  const screens = column('screens');
  const { duckDb, trino } = await answers([
    portable.hasAny(screens, ['first']),
    portable.hasAny(screens, ["it's 3", 'nothing']),
    portable.hasAny(screens, ['nothing']),
    ...["it's", '', '%', '_', 'S', '3', '😀', 'é'].flatMap((part) => [
      portable.contains(column('event_name'), part),
      portable.contains(column('screen_name'), part),
    ]),
  ]);
  expect(trino).toEqual(duckDb);
  expect(trino[3]?.slice(0, 3)).toEqual([true, true, false]);
});

describe('monthStart returns the same time', () => {
  const times = [
    0, 1_709_251_199_999, 1_709_251_200_000, 951_782_400_000, 4_102_444_799_999, -86_400_001, -1,
  ];
  test.each(times)('around %i', async (time) => {
    const local = sql<number>`cast(${sql.lit(time)} as bigint)`;
    const { duckDb, trino } = await answers([portable.monthStart(local)]);
    const date = new Date(time);
    expect(trino).toEqual(duckDb);
    expect(trino[0]).toEqual([Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)]);
  });
});
