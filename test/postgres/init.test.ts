import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, inject, test } from 'vitest';
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
