import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LakeAppsOptions, lakeApps } from '../../../../functions/data-access/apps/lake-apps.ts';
import { DEFAULT_LIMITS } from '../../../../functions/data-access/engines/duckdb.ts';
import { publishApp } from '../../../../local/data/publish/publish.ts';
import { s3Lake } from '../../../../local/data/publish/s3-lake.ts';
import { appSettingsSchema } from '../../../../shared/access/app-settings.ts';
import { s3Objects } from '../../../../shared/adapters/s3/objects.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { type S3Server, startS3Server } from '../../../contracts/s3-server.ts';
import { agree, open, type Pair } from '../../../oracle/agreement.ts';
import { randomWorld } from '../../../oracle/random-world.ts';
import { NOW, type Sample, sample } from '../sample-app.ts';

const PLACE = { bucket: 'lake', prefix: 'tables' };
const SEED = 20_260_410;
const QUESTIONS = 40;

let s3: S3Server;
let folder: string;
let client: S3Client;
beforeAll(async () => {
  s3 = await startS3Server();
  s3.keysPerPage = 1000;
  folder = await mkdtemp(join(tmpdir(), 'lake-apps-'));
  const credentials = { accessKeyId: 'none', secretAccessKey: 'none' };
  client = new S3Client({ endpoint: s3.url, region: 'eu-central-1', credentials, maxAttempts: 1 });
});
afterAll(async () => {
  await s3[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

let made = 0;
/** The service over what is published. */
async function onLake(zone: string, options: Partial<LakeAppsOptions> = {}): Promise<Sample> {
  made += 1;
  const about = { id: 'shop', name: 'Shop', zone, dashboardUrl: 'https://dash.example' };
  const apps = lakeApps({
    settingsOf: async () => appSettingsSchema.parse({ ...about, rateLimit: { enforce: false } }),
    storage: s3Objects(client, PLACE),
    firstDay: '2000-01-01',
    folder: join(folder, String(made)),
    maxFileBytes: 1e9,
    limits: DEFAULT_LIMITS,
    clock: new ManualClock(NOW),
    ...options,
  });
  return sample({ service: { apps } });
}

const publish = ({ directory }: Sample) =>
  publishApp({ dir: directory, app: 'shop', lake: s3Lake(client, PLACE), remove: true });

test.each(['Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Apia'])(
  `answers ${QUESTIONS} random questions in %s as the oracle does`,
  async (zone) => {
    const local = await open(randomWorld(SEED, zone, NOW));
    await publish(local.shop);
    const lake: Pair = { world: local.world, shop: await onLake(zone) };
    try {
      await agree([lake], { numRuns: QUESTIONS, seed: SEED });
    } finally {
      await Promise.all([local.shop.close(), lake.shop.close()]);
    }
  },
);
