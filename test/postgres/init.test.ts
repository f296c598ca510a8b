import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { figuresAt } from '../../cli/rules/init-figures.ts';
import { openTables } from '../../functions/data-access/apps/open-tables.ts';
import { db } from '../../functions/data-access/engines/query.ts';
import { sqlTablesSchema } from '../../shared/config/sql-tables.ts';
import { deltawatch, temporaryFolder } from '../fixtures/deltawatch.ts';

const { url } = inject('postgres');

test('init finds the table of events, whose names have capitals, and writes rules that the live data answer', async () => {
  const team = new pg.Client({ connectionString: url });
  await team.connect();
  await team.query(`drop schema if exists "Product" cascade; create schema "Product";
    create table "Product"."Tracks" ("occurredAt" timestamptz, "eventName" text, "userId" bigint, platform text, props jsonb);
    create table "Product".people (id bigint, name text);
    insert into "Product"."Tracks" select now() - n * interval '40 seconds', (array['view', 'purchase'])[1 + n % 2],
      n % 900, 'ios', '{"price": 20}' from generate_series(0, 120960) as n`);
  await using folder = await temporaryFolder();
  const { code, stderr } = await deltawatch(['init', '--figures', url, '--app', 'shop'], folder.path);
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('note: figures come from the table Product.Tracks'),
  });
  const config = await readFile(join(folder.path, 'deltawatch.config.ts'), 'utf8');
  for (const line of ['event_name: "eventName"', 'recorded_at: "occurredAt"', 'properties: "props"'])
    expect(config).toContain(line);
  expect(await deltawatch(['check', '--live', '--strict'], folder.path)).toMatchObject({ code: 0 });
  await team.query('drop schema "Product" cascade');
  await team.end();
});

const EVENTS =
  "select now() - n * interval '1 second' as ts, (array['view', 'buy'])[1 + n % 2] as event, n % 9 as user_id from generate_series(1, 90) as n";
test.each<{ name: string; tables: string; table: string; columns?: object }>([
  {
    name: 'the table of partitions',
    tables: `create table odd.log (ts timestamptz, event text, user_id int) partition by range (ts);
      create table odd.log_all partition of odd.log for values from (minvalue) to (maxvalue); insert into odd.log ${EVENTS}`,
    table: 'odd.log',
  },
  {
    name: 'a materialized view',
    tables: `create materialized view odd.activity as ${EVENTS}`,
    table: 'odd.activity',
  },
  {
    name: 'a number of seconds, enumerations and a text with JSON',
    tables: `create type odd.kind as enum ('view', 'buy'); create type odd.system as enum ('iOS', 'Android');
      create table odd.log as select extract(epoch from ts)::int as ts, event::odd.kind, user_id,
        'iOS'::odd.system as os, '{"price": 2}' as properties from (${EVENTS}) as given`,
    table: 'odd.log',
    columns: {
      ...{ recorded_at: { sql: 'cast("ts" as bigint) * 1000' }, properties: 'properties' },
      ...{ os_name: 'os', platform: 'os' },
    },
  },
])('init reads $name', async ({ tables, table, columns }) => {
  const team = new pg.Client({ connectionString: url });
  await team.connect();
  await team.query(`drop schema if exists odd cascade; create schema odd; ${tables}`);
  await using folder = await temporaryFolder();
  const { figures } = await figuresAt(url, {
    app: 'shop',
    zone: 'UTC',
    table: undefined,
    state: folder.path,
  });
  expect(figures.sql?.apps.shop?.events).toMatchObject({
    table,
    columns: { ...{ event_name: 'event', user_id: 'user_id', recorded_at: 'ts' }, ...columns },
  });
  const apps = await openTables(sqlTablesSchema.parse(figures.sql), {
    folder: '.',
    readSecret: async () => url,
  });
  const names = await apps.withApp({ appId: 'shop', keyId: 'k' }, ({ engine }) =>
    engine.answer(db.selectFrom('events').select('event_name').distinct().orderBy('event_name')),
  );
  expect(names?.answer.rows).toEqual([{ event_name: 'buy' }, { event_name: 'view' }]);
  apps.close();
  await team.query('drop schema odd cascade');
  await team.end();
});
