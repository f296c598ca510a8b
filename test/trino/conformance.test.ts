import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { athenaApps } from '../../functions/data-access/apps/athena-apps.ts';
import { athena, connectAthena } from '../../functions/data-access/engines/athena/client.ts';
import { publishApp } from '../../local/data/publish/publish.ts';
import { appSettingsSchema } from '../../shared/access/app-settings.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { folderLake } from '../fakes/folder-lake.ts';
import { NOW, range, sample } from '../functions/data-access/sample-app.ts';
import { agree, agreeOnJourneys, open, type Pair, roundedAs } from '../oracle/agreement.ts';
import { analyze } from '../oracle/analytics.ts';
import { randomWorld } from '../oracle/random-world.ts';
import { type AthenaStandIn, startAthenaStandIn } from './athena-stand-in.ts';
import { SCHEMA } from './tables.ts';

const SEED = 20_260_410;
const QUESTIONS = 60;
const JOURNEYS = 20;
const ONE_AT_A_TIME_MS = 10 * 60_000;

let standIn: AthenaStandIn;
beforeAll(async () => {
  standIn = await startAthenaStandIn(inject('trino').url);
});
afterAll(() => standIn.close());

/** The service over the same world, published as to S3 and read as by Athena. */
async function onTrino({ world, shop }: Pair): Promise<Pair> {
  await publishApp({
    dir: shop.directory,
    app: 'shop',
    lake: folderLake(inject('trino').storage),
    remove: true,
  });
  const client = connectAthena({
    endpoint: standIn.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
  });
  const settings = {
    ...{ workgroup: 'reads', catalog: 'AwsDataCatalog', database: SCHEMA },
    ...{ reuseMinutes: 0, timeoutMs: 25_000 },
  };
  const about = { id: 'shop', name: 'Shop', zone: world.zone, dashboardUrl: 'https://dash.example' };
  const apps = athenaApps({
    settingsOf: async () => appSettingsSchema.parse({ ...about, rateLimit: { enforce: false } }),
    runnerFor: (timeoutMs) =>
      athena(client, { ...settings, timeoutMs }, { clock: systemClock, newToken: randomUUID }),
    timeoutMs: 60_000,
    clock: systemClock,
  });
  return { world, shop: await sample({ service: { apps } }) };
}

// The tables begin in 2020, so zones with questions about 2011 are left out.
test.each(['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe'])(
  `DuckDB, Trino and the oracle give the same answers to ${QUESTIONS} random questions in %s`,
  { timeout: ONE_AT_A_TIME_MS },
  async (zone) => {
    const local = await open(randomWorld(SEED, zone, NOW));
    const lake = await onTrino(local);
    try {
      const before = standIn.states().length;
      for (const pair of [local, lake]) {
        await agree([pair], { numRuns: QUESTIONS, seed: SEED });
        await agreeOnJourneys([pair], { numRuns: JOURNEYS, seed: SEED });
      }
      expect(standIn.states().slice(before)).not.toContain('FAILED');
      expect(standIn.states().length - before).toBeGreaterThan(QUESTIONS);
    } finally {
      await Promise.all([local.shop.close(), lake.shop.close()]);
    }
  },
);

const ago = (days: number) => new Date(NOW - days * DAY_MS).toISOString();
const named = { attribute: 'event_name', operator: 'in', value: ['open', 'buy'] };
const platform = { attribute: 'device_platform' };

test.each([
  [
    'event',
    { aggregation: [{ attribute: 'event_count' }], group_by: [platform, { attribute: 'event_name' }] },
  ],
  [
    'event',
    {
      aggregation: [{ attribute: 'event_count' }],
      group_by: [{ attribute: 'event_uploadedon_day' }],
      filters: [named],
    },
  ],
  [
    'session',
    {
      aggregation: [
        { attribute: 'session_count' },
        { attribute: 'session_gesture_count', operator: 'sum' },
        { attribute: 'avg_session_rage_gesture_count' },
      ],
      group_by: [platform, { attribute: 'app_version' }],
    },
  ],
  [
    'session',
    { aggregation: [{ attribute: 'session_new_users_count' }], group_by: [{ attribute: 'device_country' }] },
  ],
] as const)('sums by the hour of %ss are read on Trino: %j', async (resource, asked) => {
  const local = await open(randomWorld(SEED, 'Europe/Berlin', NOW));
  const lake = await onTrino(local);
  try {
    const before = standIn.states().length;
    // A window of whole hours, and one with ends from the rows and with later uploads.
    for (const [from, to] of [
      [9, 5],
      [9.01, 1.03],
    ] as const) {
      const given = 'filters' in asked ? asked.filters : [];
      const request = { ...asked, filters: [...given, range(ago(from), ago(to))] };
      const { body } = await lake.shop.get(`/v2/${resource}/analytics`, request);
      const expected = analyze(local.world, resource, request);
      expect(body.data).toEqual(expected.map((row, i) => roundedAs(body.data?.[i] ?? {}, row)));
      // The sums, and the number of days that have them.
      if (from === 9) expect(standIn.states().length - before).toBe(2);
    }
    expect(standIn.states()).not.toContain('FAILED');
  } finally {
    await Promise.all([local.shop.close(), lake.shop.close()]);
  }
});
