import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { type LakeStorage, lakeApps } from '../functions/data-access/apps/lake-apps.ts';
import { DEFAULT_LIMITS } from '../functions/data-access/engines/duckdb/engine.ts';
import { publishApp } from '../local/data/publish/publish.ts';
import { s3Lake } from '../local/data/publish/s3-lake.ts';
import { appSettingsSchema } from '../shared/access/app-settings.ts';
import { s3Objects } from '../shared/aws/objects.ts';
import { ManualClock } from '../shared/runtime/clock.ts';
import { type S3Server, startS3Server } from '../test/contracts/s3-server.ts';
import { ANALYTICS } from './data-access/analytics-questions.ts';
import { APP_IDS, prepareApps } from './data-access/apps.ts';
import { bodyOf, type Client, openClient } from './data-access/client.ts';
import type { Question } from './data-access/question.ts';
import { NOW } from './data-access/rows.ts';
import { sameFigures } from './data-access/same-figures.ts';
import { openService, type Service, serveApps } from './data-access/serving.ts';
import { median, round, timed } from './data-access/timing.ts';

const EVENTS = 1_000_000;
const ROUNDS = 11;
const PLACE = { bucket: 'lake', prefix: 'tables' };
/** The time to the first byte of an object in S3. */
const LATENCY_MS = 40;

/**
 * The analytics questions on published files, read as the function on AWS does, compared with one file per app. `coldMs`:
 * nothing is downloaded yet, and each request to the storage waits as long as S3. An option sets another number of
 * events, of three apps together.
 */
export async function run([given = String(EVENTS)]: readonly string[]) {
  const directory = await prepareApps(Number(given), note);
  const folder = await mkdtemp(join(tmpdir(), 'bench-lake-'));
  const s3 = await startS3Server();
  const file = await openService(directory);
  try {
    s3.keysPerPage = 1000;
    const client = clientOf(s3);
    for (const app of APP_IDS) await publishApp({ dir: directory, app, lake: s3Lake(client, PLACE) });
    const storage = slowly(s3Objects(client, PLACE));
    const open = (name: string) => openLake(storage, join(folder, name));
    const openMs = await timeToOpen(await open('opened'));
    const rows = [];
    for (const [at, question] of ANALYTICS.entries())
      rows.push(await measure(question, { lake: await open(String(at)), file, s3 }));
    return {
      events: Number(given),
      openMs: round(openMs),
      medianWarmOverFile: median(rows.map(({ warmOverFile }) => warmOverFile)),
      questions: rows,
    };
  } finally {
    file.close();
    await s3[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  }
}

const note = (text: string): void => console.error(text);

const clientOf = ({ url }: S3Server): S3Client =>
  new S3Client({
    endpoint: url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  });

function slowly({ list, download }: LakeStorage): LakeStorage {
  return {
    list: async (prefix) => {
      await delay(LATENCY_MS);
      return list(prefix);
    },
    download: async (...args) => {
      await delay(LATENCY_MS);
      return download(...args);
    },
  };
}

/** The service over the storage, in a process that has nothing of it yet. */
const openLake = (storage: LakeStorage, folder: string): Promise<Service> =>
  serveApps(
    lakeApps({
      settingsOf: async (id) => appSettingsSchema.parse({ id, name: id, rateLimit: { enforce: false } }),
      storage,
      firstDay: '2020-01-01',
      folder,
      maxFileBytes: 8e9,
      limits: DEFAULT_LIMITS,
      clock: new ManualClock(NOW),
    }),
  );

/** The time of a first question about days without files. */
async function timeToOpen(service: Service): Promise<number> {
  const client = openClient(service.port);
  try {
    const value = { lower: '2025-01-01', upper: '2025-01-02' };
    const filters = [{ attribute: 'date_range', operator: 'between_dates', value }];
    const parameters = { filters, aggregation: [{ attribute: 'event_count' }] };
    const request = { method: 'POST', path: '/api/data-access/v1/event/analytics', parameters } as const;
    return await timed(() => client.ask({ app: 'small', request }));
  } finally {
    client.close();
    service.close();
  }
}

async function measure(
  question: Question,
  { lake, file, s3 }: { lake: Service; file: Service; s3: S3Server },
) {
  const [onLake, onFile] = [openClient(lake.port), openClient(file.port)];
  const ask = async (client: Client) => question.figures(bodyOf(await client.ask(question)));
  try {
    const before = s3.requests.length;
    const coldMs = await timed(() => onLake.ask(question));
    const gets = s3.requests.slice(before).flatMap((request) => /^GET (.*)/.exec(request)?.[1] ?? []);
    const bytes = gets.reduce((sum, path) => sum + (s3.objects.get(path)?.length ?? 0), 0);
    sameFigures(question.name, await ask(onLake), await ask(onFile));
    const warm: number[] = [];
    const single: number[] = [];
    for (let at = 0; at < ROUNDS; at += 1) {
      warm.push(await timed(() => onLake.ask(question)));
      single.push(await timed(() => onFile.ask(question)));
    }
    const [warmMs, fileMs] = [median(warm), median(single)];
    return {
      name: question.name,
      coldMs: round(coldMs),
      files: gets.length,
      megabytes: round(bytes / 1e6),
      warmMs: round(warmMs),
      fileMs: round(fileMs),
      warmOverFile: round(warmMs / fileMs),
    };
  } finally {
    onLake.close();
    onFile.close();
    lake.close();
  }
}
