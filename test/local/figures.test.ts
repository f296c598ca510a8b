import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hasVersions, openTables } from '../../local/data-access.ts';
import { figuresOf } from '../../local/figures.ts';
import { type SqlTablesInput, sqlTablesSchema } from '../../shared/config/sql-tables.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { aQuestion } from '../fixtures/questions.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'figures-'));
});
afterEach(() => rm(folder, { recursive: true }));

const CSV = `moment,what,buyer,amount
2026-04-01 09:30:00,order,anna,10
2026-04-01 10:10:00,order,anna,2.5
2026-04-01 10:20:00,order,"ben, jr.",4
2026-04-01 10:59:59,visit,ben,
`;

async function open(events: Partial<Events>) {
  const columns = { event_name: 'what', user_id: 'buyer', recorded_at: 'moment' };
  const tables = sqlTablesSchema.parse({
    engine: 'duckdb',
    apps: { shop: { events: { columns, ...events } } },
  });
  const apps = await openTables(tables, { folder, readSecret: async () => '' });
  const clock = new ManualClock(Date.parse('2026-04-02T00:00:00Z'));
  return figuresOf({ kind: 'tables', apps, tables, describe: 'the files of the shop' }, clock);
}
type Events = SqlTablesInput['apps'][string]['events'];

const question = aQuestion({
  eventNames: ['order'],
  aggregations: [{ attribute: 'event_count' }, { attribute: 'event_unique_user_count' }],
});
const FIGURES = [
  {
    eventName: 'order',
    current: { event_count: 2, event_unique_user_count: 2 },
    previous: { event_count: 1, event_unique_user_count: 1 },
  },
];

test('figures of CSV files', async () => {
  await writeFile(join(folder, 'april-1.csv'), CSV);
  const figures = await open({ files: 'april-*.csv' });
  expect(await figures.sourceFor('shop').read(question)).toEqual({ kind: 'read', value: FIGURES });
  // A file that arrives later is read too.
  await writeFile(
    join(folder, 'april-2.csv'),
    'moment,what,buyer,amount\n2026-04-01 10:30:00,order,cleo,1\n',
  );
  const later = await figures.sourceFor('shop').read(question);
  expect(later).toMatchObject({ value: [{ current: { event_count: 3 } }] });
  figures.close();
});

test('figures of Parquet files', async () => {
  await writeFile(join(folder, 'all.csv'), CSV);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (FROM '${join(folder, 'all.csv')}') TO '${join(folder, 'all.parquet')}'`);
  connection.closeSync();
  instance.closeSync();
  const figures = await open({ files: 'all.parquet' });
  expect(await figures.sourceFor('shop').read(question)).toEqual({ kind: 'read', value: FIGURES });
  figures.close();
});

test('files that do not exist are refused before anything runs', async () => {
  await expect(open({ files: 'may-*.csv' })).rejects.toThrow(
    /^apps\.shop\.events: DuckDB cannot read may-\*\.csv: .*No files found/,
  );
});

test('a file outside the folders of the files cannot be read', async () => {
  await writeFile(join(folder, 'a.csv'), CSV);
  const columns = {
    ...{ event_name: 'what', user_id: 'buyer', recorded_at: 'moment' },
    screen_name: { sql: "(select content from read_text('/etc/hostname'))" },
  };
  await expect(open({ files: 'a.csv', columns })).rejects.toThrow(
    /^apps\.shop\.events\.columns\.screen_name: DuckDB cannot read the expression: Permission Error/,
  );
});

test.each([
  { columns: { app_version: 'amount' }, has: true },
  { columns: {}, has: false },
])('the versions of an app are asked for only if its tables have them: $has', async ({ columns, has }) => {
  await writeFile(join(folder, 'log.csv'), CSV);
  const required = { event_name: 'what', user_id: 'buyer', recorded_at: 'moment' };
  const tables = sqlTablesSchema.parse({
    engine: 'duckdb',
    apps: { shop: { events: { files: 'log.csv', columns: { ...required, ...columns } } } },
  });
  const apps = await openTables(tables, { folder, readSecret: async () => '' });
  expect(hasVersions({ kind: 'tables', apps, tables, describe: 'files' }, 'shop')).toBe(has);
  expect(hasVersions({ kind: 'folder', dataDir: folder }, 'shop')).toBe(true);
  apps.close();
});
