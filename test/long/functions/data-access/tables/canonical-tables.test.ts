import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOW, sample } from '../../../../functions/data-access/sample-app.ts';
import { DATABASES, type Database } from '../../../../functions/data-access/tables/databases.ts';
import { createForeign, foreignApp } from '../../../../functions/data-access/tables/foreign-tables.ts';
import { agree, agreeOnJourneys, type Pair } from '../../../../oracle/agreement.ts';
import { randomWorld } from '../../../../oracle/random-world.ts';

const SEED = 20_260_410;
const ZONES = ['Europe/Berlin', 'Pacific/Apia'];

describe.each(DATABASES)('tables with names of their own in $name', ({ start }) => {
  let database: Database;
  const pairs: Pair[] = [];

  beforeAll(async () => {
    database = await start();
    const worlds = ZONES.map((zone, at) => randomWorld(SEED + at, zone, NOW));
    for (const [at, world] of worlds.entries()) {
      await database.run(`create schema world${at}`);
      await createForeign(database.create, `world${at}`, world);
    }
    const apps = await database.open(
      Object.fromEntries(ZONES.map((zone, at) => [`shop${at}`, foreignApp(`world${at}`, zone)])),
    );
    for (const [at, world] of worlds.entries()) {
      // The questions and their links name the app `shop`.
      const shop = await sample({
        service: {
          apps: {
            ...apps,
            settingsOf: async () => ({ ...(await settingsOf(apps, `shop${at}`)), id: 'shop' }),
            withApp: (request, use) =>
              apps.withApp({ ...request, appId: `shop${at}` }, (app) =>
                use({ ...app, settings: { ...app.settings, id: 'shop' } }),
              ),
          },
        },
      });
      pairs.push({ world, shop });
    }
  });
  afterAll(async () => {
    await Promise.all(pairs.map(({ shop }) => shop.close()));
    await database.close();
  });

  test('give the answers of the oracle', async () => {
    await agree(pairs, { numRuns: 30, seed: SEED });
    expect(pairs).toHaveLength(ZONES.length);
  });

  test('give the funnels and the retention of the oracle', () =>
    agreeOnJourneys(pairs, { numRuns: 40, seed: SEED }));
});

async function settingsOf(apps: Awaited<ReturnType<Database['open']>>, id: string) {
  const settings = await apps.settingsOf(id);
  if (settings === undefined) throw new Error(`no app ${id}`);
  return settings;
}
