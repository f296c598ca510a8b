import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { figuresAt } from '../../cli/rules/init-figures.ts';
import { openTables } from '../../functions/data-access/apps/open-tables.ts';
import { db } from '../../functions/data-access/engines/query.ts';
import { sqlTablesSchema } from '../../shared/config/sql-tables.ts';
import { deltawatch, type Folder, temporaryFolder } from '../fixtures/deltawatch.ts';
import { runStatement } from './clickhouse-database.ts';
import { KEY, postHogProject } from './posthog-project.ts';

const { url } = inject('clickhouse');
const run = (statement: string) => runStatement(url, statement);
/** Drops what this file and others have left. */
async function clear() {
  const names = await run(
    "select name from system.databases where name not in ('default', 'system', 'information_schema', 'INFORMATION_SCHEMA') format TSV",
  );
  for (const name of names.split('\n').filter(Boolean)) await run(`drop database \`${name}\``);
}
/** Sentences are wrapped. */
const init = async (folder: Folder, ...words: string[]) => {
  const { code, stdout, stderr } = await deltawatch(['init', ...words], folder.path);
  return { code, text: `${stdout}${stderr}`.replaceAll(/\s+/g, ' ') };
};

beforeAll(async () => {
  await clear();
  await run('create database product');
  await run('create table product.people (id UInt64, name String) engine = Memory');
  await run(`create table product.tracks (event_time DateTime64(3), event_type LowCardinality(String), user_id UInt64,
    os LowCardinality(String), price Nullable(Float64)) engine = MergeTree order by (event_type, event_time)`);
  // Each hour of eight weeks has as many events as the hour a week before.
  await run(`insert into product.tracks select now64(3) - number * 40 as event_time, ['view', 'purchase'][1 + number % 2],
    number % 900, ['iOS', 'Android'][1 + number % 2], 20 from numbers(120960)`);
});

test('init finds the table of events and writes rules for it, which the live data answer', async () => {
  await using folder = await temporaryFolder();
  const { code, text } = await init(folder, '--figures', `${url}/product`, '--zone', 'Asia/Tokyo');
  expect({ code, text }).toMatchObject({ code: 0 });
  expect(text).toContain('note: figures come from the table product.tracks');
  const config = await readFile(join(folder.path, 'deltawatch.config.ts'), 'utf8');
  for (const line of ['zone: "Asia/Tokyo"', 'recorded_at: "event_time"', 'platform: "os"', 'price: "price"'])
    expect(config).toContain(line);
  expect(config).not.toContain(new URL(url).password);
  expect((await stat(join(folder.path, '.deltawatch/secrets.json'))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(folder.path, 'rules/product.yaml'), 'utf8')).toContain(
    'event_name, operator: equal, value: purchase',
  );
  const checked = await deltawatch(['check', '--live', '--strict'], folder.path);
  expect(checked).toMatchObject({ code: 0 });
  expect(checked.stdout).toMatch(
    /^one run of all rules: \d questions, [\d.]+ MB; [\d.]+ MB a day at their cadences$/m,
  );
  // A day of its budget is less than any question.
  const file = join(folder.path, 'deltawatch.config.ts');
  await writeFile(
    file,
    config.replace('engine: "clickhouse",', 'engine: "clickhouse", gigabytesPerDay: 1e-9,'),
  );
  const over =
    /the rules read about [\d.]+ MB a day, and gigabytesPerDay of figures.sql is 1e-9; run some less/;
  const again = await deltawatch(['check', '--live'], folder.path);
  expect(again.stdout.replaceAll(/\s+/g, ' ')).toMatch(over);
  // Beside a configuration, init proposes rules for its tables.
  await rm(join(folder.path, 'rules'), { recursive: true });
  expect((await init(folder)).text).toContain('product-purchase: Purchase');
  expect(await readFile(join(folder.path, 'rules/product.yaml'), 'utf8')).toContain('zone: Asia/Tokyo');
  // The configuration now exists.
  expect(await init(folder, '--figures', `${url}/product`)).toMatchObject({
    code: 2,
    text: expect.stringContaining(
      '--figures writes deltawatch.config.ts, but deltawatch.config.ts already exists',
    ),
  });
});

test.each([
  {
    name: 'a table without a time',
    words: ['--table', 'product.people'],
    says: 'no table has a column that looks like',
  },
  {
    name: 'an unknown table',
    words: ['--table', 'product.trakcs'],
    says: 'ClickHouse cannot read product.trakcs',
  },
])('$name is refused, and nothing is written', async ({ words, says }) => {
  await using folder = await temporaryFolder();
  const { code, text } = await init(folder, '--figures', `${url}/product`, ...words);
  expect(code).toBe(2);
  expect(text).toContain(says);
  await expect(stat(join(folder.path, 'deltawatch.config.ts'))).rejects.toThrow();
  await expect(stat(join(folder.path, '.deltawatch'))).rejects.toThrow();
});

test('two tables of events are named, and one can be chosen', async () => {
  await run('create or replace table product.tracks_old as product.tracks engine = Memory');
  await using folder = await temporaryFolder();
  const { code, text } = await init(folder, '--figures', `${url}/product`);
  expect(code).toBe(2);
  expect(text).toContain(
    'product.tracks and product.tracks_old look like tables of events: name one with --table',
  );
  await writeFile(join(folder.path, '.gitignore'), '');
  expect(await init(folder, '--figures', `${url}/product`, '--table', 'product.tracks')).toMatchObject({
    code: 0,
  });
  await run('drop table product.tracks_old');
});

const EVENTS =
  "select now() - number as at, ['view', 'buy'][1 + number % 2] as event, number % 9 as user_id from numbers(90)";
test.each<{ name: string; tables: string[]; columns: object }>([
  {
    name: 'a number of seconds and a text with JSON',
    tables: [
      `create table odd.log engine = Memory as select toUnixTimestamp(at) as timestamp, event, user_id, '{"price":2}' as properties from (${EVENTS})`,
    ],
    columns: { recorded_at: { sql: 'cast("timestamp" as bigint) * 1000' }, properties: 'properties' },
  },
  {
    name: 'a text without JSON is a property by itself',
    tables: [
      `create table odd.log engine = Memory as select at as timestamp, event, user_id, 'a=b' as params, 'pro' as plan from (${EVENTS})`,
    ],
    columns: { recorded_at: 'timestamp', properties: { plan: 'plan' } },
  },
  {
    name: 'a column that is computed from another',
    tables: [
      'create table odd.log (raw DateTime, timestamp DateTime alias raw, event FixedString(8), user_id UInt64) engine = Memory',
      `insert into odd.log select at, event, user_id from (${EVENTS})`,
    ],
    columns: { recorded_at: 'timestamp' },
  },
  {
    name: 'a table beside tables that cannot be read',
    tables: [
      `create table odd.log engine = MergeTree order by user_id as select at as timestamp, event, user_id from (${EVENTS})`,
      'create materialized view odd.daily engine = MergeTree order by day as select toDate(timestamp) as day from odd.log',
      'create table odd.gone (n Int8) engine = Memory',
      'create view odd.broken as select * from odd.gone',
      'drop table odd.gone',
    ],
    columns: { recorded_at: 'timestamp' },
  },
])('init reads $name', async ({ tables, columns }) => {
  await clear();
  await run('create database odd');
  for (const table of tables) await run(table);
  await using folder = await temporaryFolder();
  const { app, figures } = await figuresAt(`${url}/odd`, {
    ...{ app: undefined, zone: 'UTC', table: undefined, state: folder.path },
  });
  expect(figures.sql?.apps[app]?.events).toMatchObject({
    table: 'odd.log',
    columns: { event_name: 'event', user_id: 'user_id', ...columns },
  });
  const apps = await openTables(sqlTablesSchema.parse(figures.sql), {
    folder: '.',
    readSecret: async () => url,
  });
  const names = await apps.withApp({ appId: app, keyId: 'k' }, ({ engine }) =>
    engine.answer(db.selectFrom('events').select('event_name').distinct().orderBy('event_name')),
  );
  expect(names?.answer.rows).toEqual([{ event_name: 'buy' }, { event_name: 'view' }]);
  apps.close();
});

test('init says which table it cannot read, if there is no other', async () => {
  await clear();
  await run('create database odd');
  await run('create table odd.`web.events` (n Int8) engine = Memory');
  await using folder = await temporaryFolder();
  const { code, text } = await init(folder, '--figures', `${url}/odd`);
  expect({ code, text }).toMatchObject({
    code: 2,
    text: expect.stringContaining('ClickHouse cannot read odd.web.events'),
  });
});

test('init takes the events of a project of PostHog', async () => {
  const names = ['$pageview', 'purchase'];
  const at = (n: number) => new Date(Date.now() - n * 1_800_000).toISOString();
  const project = await postHogProject(
    { url },
    Array.from({ length: 2688 }, (_, n) => ({
      ...{
        timestamp: at(n % 1344),
        event: names[n % 2] ?? '',
        distinct_id: `u${n % 90}`,
        $session_id: `s${n}`,
      },
      properties: { $lib: 'web', price: 20 },
    })),
  );
  const { host } = new URL(url);
  const address = (key: string) => `http://${key}@${host}/project/${project.number}/web`;
  await using folder = await temporaryFolder();
  expect(await init(folder, '--figures', address('phx_wrong-word'))).toMatchObject({
    code: 1,
    text: expect.stringContaining('PostHog does not accept the personal API key'),
  });
  expect(await init(folder, '--figures', address('').replace('@', ''))).toMatchObject({
    code: 2,
    text: expect.stringContaining('the URL of a project needs a key'),
  });
  expect((await init(folder, '--figures', address('phx_%zz'))).text).toContain('not accept the personal');
  const { code, text } = await init(folder, '--figures', address(KEY), '--app', 'shop');
  expect({ code, text }).toMatchObject({ code: 0 });
  expect(text).toContain(`note: figures come from the project ${project.number} of PostHog`);
  const config = await readFile(join(folder.path, 'deltawatch.config.ts'), 'utf8');
  expect(config).toContain('posthog: {');
  expect(config).not.toContain(KEY);
  expect(await deltawatch(['check', '--live', '--strict'], folder.path)).toMatchObject({ code: 0 });
});
