import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agree, type Pair } from '../../../oracle/agreement.ts';
import { randomWorld } from '../../../oracle/random-world.ts';
import { NOW, sample } from '../sample-app.ts';
import { fillForeign, foreignApp } from './foreign-tables.ts';
import { pgliteClient } from './pglite-client.ts';
import { postgresApps } from './postgres-apps.ts';

const SEED = 20_260_410;
const ZONES = ['Europe/Berlin', 'Pacific/Apia'];

let database: PGlite;
const pairs: Pair[] = [];

beforeAll(async () => {
  database = await PGlite.create();
  for (const [at, zone] of ZONES.entries()) {
    const world = randomWorld(SEED + at, zone, NOW);
    await fillForeign(
      (sql, rows) => database.query(sql, rows === undefined ? [] : [rows]),
      `world${at}`,
      world,
    );
    const apps = await postgresApps(
      pgliteClient(database),
      foreignApp(`world${at}`, zone, 'https://dash.example'),
    );
    pairs.push({ world, shop: await sample({ service: { apps } }) });
  }
});
afterAll(async () => {
  await Promise.all(pairs.map(({ shop }) => shop.close()));
  await database.close();
});

test('tables in PostgreSQL give the answers of the oracle', async () => {
  await agree(pairs, { numRuns: 100, seed: SEED });
  expect(pairs).toHaveLength(ZONES.length);
});
