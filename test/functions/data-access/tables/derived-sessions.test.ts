import { PGlite } from '@electric-sql/pglite';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SqlApp } from '../../../../shared/config/sql-tables.ts';
import { requestsAbout } from '../../../oracle/random-requests.ts';
import { randomWorld } from '../../../oracle/random-world.ts';
import type { World } from '../../../oracle/rows.ts';
import { NOW, type Reply, type Sample, sample } from '../sample-app.ts';
import { pgliteClient } from './pglite-client.ts';
import { COLUMNS, importPlain, plainEvents } from './plain-events.ts';
import { postgresApps } from './postgres-apps.ts';

const SEED = 20_261_123;
const ZONE = 'Europe/Berlin';
const RESOURCES = ['event', 'session', 'user', 'screen'] as const;

let database: PGlite;
let world: World;
let imported: Sample;
let mapped: Sample;

beforeAll(async () => {
  world = randomWorld(SEED, ZONE, NOW);
  const events = plainEvents(world);
  imported = await sample({ zone: ZONE });
  await importPlain(events, { dir: imported.directory, zone: ZONE });
  database = await PGlite.create();
  await database.exec(`create table visits_log (
    uuid text, type text, customer text, visit text, page text, ts timestamptz, payload jsonb, os text, release text,
    town text, campaign text, landing text, login text, did_crash boolean, taps integer, angry_taps integer)`);
  await database.query(
    'insert into visits_log select * from jsonb_populate_recordset(null::visits_log, $1::jsonb)',
    [JSON.stringify(events)],
  );
  const app: SqlApp = { zone: ZONE, events: { table: 'visits_log', columns: COLUMNS } };
  const apps = await postgresApps(pgliteClient(database), app);
  mapped = await sample({ zone: ZONE, service: { apps } });
});
afterAll(async () => {
  await Promise.all([imported?.close(), mapped?.close()]);
  await database?.close();
});

test('a table of events gives the answers of an import of these events', async () => {
  const requests = requestsAbout(world);
  const analytics = fc
    .constantFrom(...RESOURCES)
    .chain((resource) => fc.tuple(fc.constant(`${resource}/analytics`), requests.analytics(resource)));
  const lists = fc
    .constantFrom('event' as const, 'session' as const, 'user' as const)
    .chain((resource) => fc.tuple(fc.constant(resource), requests.list(resource)));
  let rows = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(analytics, lists), async ([path, request]) => {
      const ask = (shop: Sample) => shop.post(`/api/data-access/v1/${path}`, { ...request });
      const [expected, answered] = await Promise.all([ask(imported), ask(mapped)]);
      expect(comparable(answered)).toEqual(comparable(expected));
      rows += expected.body.data?.length ?? 0;
    }),
    { numRuns: 120, seed: SEED },
  );
  expect(rows).toBeGreaterThan(500);
});

/** Without the cursor, which is signed. */
const comparable = ({ status, body }: Reply) => ({ status, data: body.data, code: body.error?.code });
