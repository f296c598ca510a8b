import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW, type Reply, type Sample, sample } from '../../../../functions/data-access/sample-app.ts';
import {
  type AppsInput,
  DATABASES,
  type Database,
} from '../../../../functions/data-access/tables/databases.ts';
import { COLUMNS, importPlain, plainEvents } from '../../../../functions/data-access/tables/plain-events.ts';
import { requestsAbout } from '../../../../oracle/random-requests.ts';
import { randomWorld } from '../../../../oracle/random-world.ts';
import type { World } from '../../../../oracle/rows.ts';

const SEED = 20_261_123;
const ZONE = 'Europe/Berlin';
const RESOURCES = ['event', 'session', 'user', 'screen'] as const;

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
    { numRuns: 25, seed: SEED },
  );
  expect(rows).toBeGreaterThan(200);
  await mapped.close();
  await database.close();
});

/** Without the cursor, which is signed, and without properties of `null`, which an import leaves out. */
const comparable = ({ status, body }: Reply) => ({
  ...{ status, code: body.error?.code },
  data: body.data?.map((row) => {
    const { eventProperty: properties } = row;
    if (typeof properties !== 'object' || properties === null) return row;
    const valued = Object.entries(properties).filter(([, value]) => value !== null);
    return { ...row, eventProperty: Object.fromEntries(valued) };
  }),
});
