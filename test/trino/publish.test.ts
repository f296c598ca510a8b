import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { parseMapping } from '../../local/data/import/fields.ts';
import { importEvents } from '../../local/data/import/import-events.ts';
import { publishApp } from '../../local/data/publish/publish.ts';
import { folderLake } from '../fakes/folder-lake.ts';
import { runStatement } from './statement.ts';
import { tablesOf } from './tables.ts';

const CSV = `event_name,user_id,session_id,recorded_at,screen_name,price
open,u1,s1,2026-03-01T23:59:59.999Z,Home,
order,u1,s1,2026-03-02T00:00:00.000Z,Cart,12.5
order,u2,s2,2026-03-04T08:00:00.000Z,Cart,7
`;

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'published-'));
  try {
    const file = join(dir, 'events.csv');
    await writeFile(file, CSV);
    const mapping = parseMapping([], []);
    await importEvents({ file, dir, app: 'published', mapping, timeFormat: 'iso', skipBad: false });
    await publishApp({ dir, app: 'published', lake: folderLake(inject('trino').storage) });
  } finally {
    await rm(dir, { recursive: true });
  }
});

const ask = async (sql: string) => (await runStatement(tablesOf(inject('trino').url), sql)).rows;

test('published events are found by app and UTC day', async () => {
  const days = "SELECT day, count(*) FROM events WHERE app_id = 'published' GROUP BY 1 ORDER BY 1";
  expect(await ask(days)).toEqual([
    ['2026-03-01', 1],
    ['2026-03-02', 1],
    ['2026-03-04', 1],
  ]);
});

test('published texts, numbers, lists and nulls are unchanged', async () => {
  const rows = await ask(`
    SELECT event_id IS NULL, user_id, recorded_at, screens, json_extract_scalar(properties, '$.price'), country
    FROM events WHERE app_id = 'published' AND event_name = 'order' ORDER BY recorded_at`);
  expect(rows).toEqual([
    [false, 'u1', Date.parse('2026-03-02T00:00:00.000Z'), ['Home', 'Cart'], '12.5', null],
    [false, 'u2', Date.parse('2026-03-04T08:00:00.000Z'), ['Cart'], '7', null],
  ]);
});
