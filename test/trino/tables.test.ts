import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, expect, inject, test } from 'vitest';
import { TABLE_NAMES, TABLES } from '../../shared/contract/tables.ts';
import { fillTables } from './sample-rows.ts';
import { runStatement, type Session } from './statement.ts';
import { exportApp, tablesOf } from './tables.ts';

let session: Session;
let stored: Record<string, readonly unknown[][]>;

beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const { url, storage } = inject('trino');
  session = tablesOf(url);
  stored = {};
  await fillTables(connection, 8);
  for (const table of TABLE_NAMES) {
    const reader = await connection.runAndReadAll(`SELECT * FROM ${table} ORDER BY recorded_at`);
    stored[table] = reader.getRowsJS().map((row) => row.map(plain));
  }
  for (const app of ['one', 'two']) await exportApp(connection, app, storage);
  instance.closeSync();
});

const plain = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);
const ask = async (sql: string) => (await runStatement(session, sql)).rows;

test.each(Object.entries(TABLES))('the table %s has the exported rows', async (table, columns) => {
  const names = Object.keys(columns).join(', ');
  const rows = await ask(`SELECT ${names} FROM ${table} WHERE app_id = 'one' ORDER BY recorded_at`);
  expect(rows).toEqual(stored[table]);
});

test('partitions are UTC days', async () => {
  const days = await ask("SELECT day, count(*) FROM events WHERE app_id = 'one' GROUP BY 1 ORDER BY 1");
  expect(days).toEqual([
    ['2024-02-29', 1],
    ['2024-03-01', 2],
    ['2024-03-02', 2],
    ['2024-03-03', 2],
    ['2024-03-04', 1],
  ]);
});

test('a query scans only the days in its condition', async () => {
  const count = (where: string) =>
    runStatement(session, `SELECT sum(duration_sec) FROM events WHERE ${where}`);
  const whole = await count("app_id = 'one'");
  const day = await count("app_id = 'one' AND day = '2024-03-01'");
  expect(day.bytesScanned).toBeGreaterThan(0);
  expect(day.bytesScanned).toBeLessThan(whole.bytesScanned / 3);
});

const OF_ONE = "(SELECT * FROM events WHERE app_id = 'one')";
test.each([
  ['in a subquery', `SELECT count(*) FROM ${OF_ONE} AS events`, 8],
  ['in a common table expression', `WITH e AS ${OF_ONE} SELECT count(*) FROM e`, 8],
  ['around a whole table', "SELECT count(*) FROM (SELECT * FROM events) e WHERE e.app_id = 'one'", 8],
  [
    'in each part of a join',
    `SELECT count(*) FROM ${OF_ONE} e JOIN (SELECT * FROM sessions WHERE app_id = 'one') s ON s.session_id = e.session_id`,
    8,
  ],
  [
    'in a condition',
    `SELECT count(*) FROM ${OF_ONE} e WHERE e.session_id IN (SELECT session_id FROM sessions WHERE app_id = 'two' AND day >= '2024-03-02')`,
    5,
  ],
  ['that has no data', "SELECT count(*) FROM events WHERE app_id = 'three'", 0],
  ['that is an invalid path', "SELECT count(*) FROM events WHERE app_id = 'two/../one'", 0],
])('a query can select one app %s', async (_, sql, count) => {
  expect(await ask(sql)).toEqual([[count]]);
});

test.each([
  ['no condition', 'SELECT count(*) FROM events'],
  ['a pattern', "SELECT count(*) FROM events WHERE app_id LIKE 'o%'"],
])('a query across apps fails: %s', async (_, sql) => {
  await expect(ask(sql)).rejects.toThrow('Injected projection');
});
