import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Apps } from '../../../../../functions/data-access/apps/apps.ts';
import { type LakeAppsOptions, lakeApps } from '../../../../../functions/data-access/apps/lake-apps.ts';
import { DEFAULT_LIMITS } from '../../../../../functions/data-access/engines/duckdb/engine.ts';
import { publishApp } from '../../../../../local/data/publish/publish.ts';
import { s3Lake } from '../../../../../local/data/publish/s3-lake.ts';
import { appSettingsSchema } from '../../../../../shared/access/app-settings.ts';
import { s3Objects } from '../../../../../shared/aws/objects.ts';
import { ManualClock } from '../../../../../shared/runtime/clock.ts';
import { SECOND_MS } from '../../../../../shared/units/durations.ts';
import { type S3Server, startS3Server } from '../../../../contracts/s3-server.ts';
import {
  event,
  NOW,
  range,
  type Sample,
  type SampleData,
  sample,
  session,
} from '../../../../functions/data-access/sample-app.ts';
import { agree, open } from '../../../../oracle/agreement.ts';
import { randomWorld } from '../../../../oracle/random-world.ts';

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
  client.destroy();
  await s3[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const opened: { apps: Apps; shop: Sample }[] = [];
afterEach(async () => {
  for (const { apps, shop } of opened.splice(0)) {
    apps.close();
    await shop.close();
  }
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
  const shop = await sample({ service: { apps } });
  opened.push({ apps, shop });
  return shop;
}

const publish = ({ directory }: Sample) =>
  publishApp({ dir: directory, app: 'shop', lake: s3Lake(client, PLACE), remove: true });

test.each(['Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Apia'])(
  `answers ${QUESTIONS} random questions in %s as the oracle does`,
  async (zone) => {
    const local = await open(randomWorld(SEED, zone, NOW));
    try {
      await publish(local.shop);
      const pair = { world: local.world, shop: await onLake(zone) };
      await agree([pair], { numRuns: QUESTIONS, seed: SEED });
    } finally {
      await local.shop.close();
    }
  },
);

describe('the files of an app', () => {
  const THREE_DAYS = ['2026-04-01', '2026-04-02', '2026-04-03'];
  const LAST_TWO = { filters: [range('2026-04-02', '2026-04-03')] };
  const FIRST_EVENTS = 'lake/tables/v2/events/app_id=shop/day=2026-04-01/data.parquet';
  let clock: ManualClock;
  beforeEach(async () => {
    s3.objects.clear();
    s3.refusalOf = () => undefined;
    clock = new ManualClock(NOW);
    await publishDays(...THREE_DAYS);
  });

  /** Publishes one event on each of these days, and removes all others. */
  async function publishDays(...days: string[]): Promise<void> {
    const sessions = days.map((day) => session({ recorded_at: `${day}T10:00:00Z` }));
    const data: SampleData = { sessions, events: sessions.map((of) => event(of)) };
    const local = await sample(data);
    await publish(local);
    await local.close();
    s3.requests.length = 0;
  }

  const openShop = (options: Partial<LakeAppsOptions> = {}) => onLake('UTC', { clock, ...options });

  /** The number of sessions with events, which only the rows answer, or the code of the error. */
  async function countIn(shop: Sample, request: object = {}): Promise<unknown> {
    const aggregation = [{ attribute: 'event_unique_session_count' }];
    const { body } = await shop.post('/api/data-access/v1/event/analytics', { ...request, aggregation });
    return body.error?.code ?? body.data[0]?.event_unique_session_count;
  }

  /** The table and day of each download. */
  const downloads = () =>
    s3.requests.flatMap((request) => {
      const [, table, day] = /^GET .*\/(\w+)\/app_id=shop\/day=(.*)\/data/.exec(request) ?? [];
      return day === undefined ? [] : [`${table} ${day}`];
    });
  const lists = () => s3.requests.filter((request) => request.startsWith('LIST'));

  test('are downloaded for the table and the days of a question, and only once', async () => {
    const shop = await openShop();
    expect(await countIn(shop, LAST_TWO)).toBe(2);
    expect(downloads().toSorted()).toEqual(['events 2026-04-02', 'events 2026-04-03']);
    expect(await countIn(shop, LAST_TWO)).toBe(2);
    expect(await countIn(shop, { filters: [range('2026-04-01', '2026-04-03')] })).toBe(3);
    expect(downloads()).toHaveLength(3);
    expect(lists()).toEqual(['LIST lake/tables/v2/events/app_id=shop/']);
  });

  test('are those with sums by the hour for a count of events, if each day has them', async () => {
    const shop = await openShop();
    const aggregation = [{ attribute: 'event_count' }];
    const { body } = await shop.post('/api/data-access/v1/event/analytics', { ...LAST_TWO, aggregation });
    expect(body.data).toEqual([{ event_count: 2 }]);
    expect(downloads().toSorted()).toEqual(['event_hours 2026-04-02', 'event_hours 2026-04-03']);
    s3.objects.delete(FIRST_EVENTS.replace('events', 'event_hours'));
    const all = { filters: [range('2026-04-01', '2026-04-03')], aggregation };
    const answer = await shop.post('/api/data-access/v1/event/analytics', all);
    expect(answer.body.data).toEqual([{ event_count: 3 }]);
  });

  test('are shared by concurrent requests', async () => {
    const shop = await openShop();
    expect(await Promise.all([1, 2, 3].map(() => countIn(shop, LAST_TWO)))).toEqual([2, 2, 2]);
    expect(downloads()).toHaveLength(2);
    expect(lists()).toHaveLength(1);
  });

  test('that were added, replaced or removed count within a minute', async () => {
    const shop = await openShop();
    const request = { filters: [range('2026-04-01', '2026-04-09')] };
    expect(await countIn(shop, request)).toBe(3);
    await publishDays('2026-04-01', '2026-04-02', '2026-04-02', '2026-04-04', '2026-04-05');
    clock.advanceTo(NOW + 59 * SECOND_MS);
    expect(await countIn(shop, request)).toBe(3);
    expect(lists()).toEqual([]);
    clock.advanceTo(NOW + 60 * SECOND_MS);
    expect(await countIn(shop, request)).toBe(5);
    expect(lists()).toHaveLength(1);
  });

  test('that were replaced before their download are listed again', async () => {
    const shop = await openShop();
    expect(await countIn(shop, LAST_TWO)).toBe(2);
    await publishDays('2026-04-01', '2026-04-01', '2026-04-02', '2026-04-03');
    expect(await countIn(shop, { filters: [range('2026-04-01', '2026-04-03')] })).toBe(4);
    expect(lists()).toHaveLength(1);
  });

  test('that are replaced all the time make the answer unavailable', async () => {
    const shop = await openShop();
    s3.refusalOf = (request) => (request.startsWith('GET') ? 'AccessDenied' : undefined);
    expect(await countIn(shop)).toBe('UNAVAILABLE');
    expect(lists()).toHaveLength(3);
  });

  test('that cannot be downloaded make the answer an error, and the next one tries again', async () => {
    const shop = await openShop();
    s3.refusalOf = (request) => (request === `GET ${FIRST_EVENTS}` ? 'InvalidObjectState' : undefined);
    expect(await countIn(shop)).toBe('INTERNAL');
    s3.refusalOf = () => undefined;
    expect(await countIn(shop)).toBe(3);
  });

  test('before the first day and after tomorrow are ignored', async () => {
    await publishDays('2026-04-01', '2026-04-02', '2026-04-11', '2026-04-12');
    const shop = await openShop({ firstDay: '2026-04-02' });
    expect(await countIn(shop, { filters: [range('2026-03-01', '2026-05-01')] })).toBe(1);
    expect(downloads().toSorted()).toEqual(['events 2026-04-02', 'events 2026-04-11']);
  });

  test('are empty for an app that has published nothing', async () => {
    s3.objects.clear();
    const shop = await openShop();
    expect(await countIn(shop)).toBe(0);
    const { body } = await shop.post('/api/data-access/v1/session');
    expect(body.data).toEqual([]);
  });

  test.each<[string, Partial<LakeAppsOptions['storage']>]>([
    ['list', { list: () => new Promise(() => {}) }],
    ['download', { download: () => new Promise(() => {}) }],
  ])('that take too long to %s make the answer a timeout', async (_, stalled) => {
    const storage = { ...s3Objects(client, PLACE), ...stalled };
    const shop = await openShop({ storage, limits: { ...DEFAULT_LIMITS, timeoutMs: 50 } });
    expect(await countIn(shop)).toBe('QUERY_TIMEOUT');
  });
});
