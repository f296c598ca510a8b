import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { openTables } from '../../local/data-access.ts';
import { figuresOf } from '../../local/figures.ts';
import { sqlTablesSchema } from '../../shared/config/sql-tables.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { blocksIn, documentAt } from '../docs/documents.ts';
import { configsIn } from '../docs/sql-configs.ts';
import { aQuestion } from '../fixtures/questions.ts';

const { url } = inject('postgres');
const page = documentAt('docs/how-to/sql-tables.md');
const [config] = configsIn(page);

let team: pg.Client;
beforeEach(async () => {
  team = new pg.Client({ connectionString: url });
  await team.connect();
  await team.query('drop schema if exists analytics cascade; drop role if exists reader');
});
afterEach(() => team.end());

test('sql-tables.md: a role that may only read the table gives its figures', async () => {
  for (const { text } of blocksIn('sql', [page])) await team.query(text);
  await team.query(`create role reader login password 'read';
    grant usage on schema analytics to reader; grant select on analytics.activity to reader`);
  const secrets: string[] = [];
  const readSecret = async (name: string) => {
    secrets.push(name);
    return Object.assign(new URL(url), { username: 'reader', password: 'read' }).href;
  };
  const tables = sqlTablesSchema.parse(config);
  const apps = await openTables(tables, { folder: '.', readSecret });
  const clock = new ManualClock(Date.parse('2026-04-02T00:00:00Z'));
  const figures = figuresOf({ kind: 'tables', apps, tables, describe: 'PostgreSQL' }, clock);
  const source = figures.sourceFor('shop');
  const orders = await source.read(
    aQuestion({ eventNames: ['order'], segmentBy: { attribute: 'device_platform' } }),
  );
  expect(orders).toEqual({
    kind: 'read',
    value: [
      { eventName: 'order', segment: 'android', current: { event_count: 1 }, previous: { event_count: 0 } },
      { eventName: 'order', segment: 'ios', current: { event_count: 1 }, previous: { event_count: 1 } },
    ],
  });
  const sessions = await source.read(
    aQuestion({ endpoint: 'session', aggregations: [{ attribute: 'session_count' }] }),
  );
  expect(sessions).toEqual({
    kind: 'read',
    value: [{ current: { session_count: 2 }, previous: { session_count: 1 } }],
  });
  expect(await source.readNewestEventAt('shop', 0)).toEqual({
    kind: 'read',
    value: Date.parse('2026-04-01T10:40:00Z'),
  });
  expect(secrets).toEqual(['deltawatch/postgres-url']);
  figures.close();
});
