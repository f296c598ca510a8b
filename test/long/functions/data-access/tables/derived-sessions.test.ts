import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW, type Sample, sample } from '../../../../functions/data-access/sample-app.ts';
import {
  type AppsInput,
  DATABASES,
  type Database,
} from '../../../../functions/data-access/tables/databases.ts';
import { COLUMNS, importPlain, plainEvents } from '../../../../functions/data-access/tables/plain-events.ts';
import { comparable, listsAbout } from '../../../../functions/data-access/tables/same-answers.ts';
import { randomWorld } from '../../../../oracle/random-world.ts';
import type { World } from '../../../../oracle/rows.ts';

const SEED = 20_261_123;
const ZONE = 'Europe/Berlin';

let world: World;
let imported: Sample;

beforeAll(async () => {
  world = randomWorld(SEED, ZONE, NOW);
  imported = await sample({ zone: ZONE });
  await importPlain(plainEvents(world), { dir: imported.directory, zone: ZONE });
});
afterAll(() => imported?.close());

const TYPES = {
  ...{
    uuid: 'text',
    type: 'text',
    customer: 'text',
    visit: 'text',
    page: 'text',
    ts: 'timestamp',
    os: 'text',
  },
  ...{ release: 'text', town: 'text', campaign: 'text', landing: 'text', login: 'text' },
  ...{ did_crash: 'boolean', taps: 'integer', angry_taps: 'integer' },
};

/** Opens the app over a table of its events. */
async function mappedIn(database: Database): Promise<Sample> {
  await database.create('visits_log', { ...TYPES, payload: database.jsonType }, plainEvents(world));
  const apps: AppsInput = { shop: { zone: ZONE, events: { table: 'visits_log', columns: COLUMNS } } };
  return sample({ zone: ZONE, service: { apps: await database.open(apps) } });
}

test.each(DATABASES)('a table of events in $name gives the answers of an import', async ({ start }) => {
  const database = await start();
  const mapped = await mappedIn(database);
  let rows = 0;
  await fc.assert(
    fc.asyncProperty(listsAbout(world), async ([path, request]) => {
      const ask = (shop: Sample) => shop.post(`/api/data-access/v1/${path}`, { ...request });
      const [expected, answered] = await Promise.all([ask(imported), ask(mapped)]);
      expect(comparable(answered)).toEqual(comparable(expected));
      rows += expected.body.data?.length ?? 0;
    }),
    { numRuns: 25, seed: SEED },
  );
  expect(rows).toBeGreaterThan(200);
  await mapped.close();
  await database.close();
});
