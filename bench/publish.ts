import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { replaceAppFile } from '../local/data/app-file.ts';
import { parseMapping } from '../local/data/import/fields.ts';
import { importEvents } from '../local/data/import/import-events.ts';
import { folderLake } from '../local/data/publish/folder-lake.ts';
import { publishApp } from '../local/data/publish/publish.ts';
import { openGiven, settle } from '../local/data/rows.ts';
import { appSettingsSchema } from '../shared/access/app-settings.ts';
import { DAY_MS } from '../shared/units/durations.ts';
import { NOW, rowStatements } from './data-access/rows.ts';
import { round, timed } from './data-access/timing.ts';

const APP = 'shop';
const EVENTS = 10_000_000;
const USERS = 20_000;

/**
 * Publishes 90 days of events to a folder, imports one hundredth more on the next day, and publishes again. An option
 * sets another number of events. `ratio`: how many times faster the second publication is.
 */
export async function run([given = String(EVENTS)]: readonly string[]) {
  const events = Number(given);
  const root = await mkdtemp(join(tmpdir(), 'bench-publish-'));
  const dir = join(root, 'data');
  const lake = folderLake(join(root, 'lake'));
  try {
    await writeHistory(dir, events);
    const fullMs = await timed(() => publishApp({ dir, app: APP, lake }));
    await append(join(root, 'more.csv'), dir, Math.round(events / 100));
    let filesWritten = 0;
    const appendMs = await timed(async () => {
      filesWritten = (await publishApp({ dir, app: APP, lake })).written;
    });
    return {
      fullMs: Math.round(fullMs),
      appendMs: Math.round(appendMs),
      ratio: round(fullMs / appendMs),
      filesWritten,
    };
  } finally {
    await rm(root, { recursive: true });
  }
}

async function writeHistory(dir: string, events: number): Promise<void> {
  const settings = appSettingsSchema.parse({ id: APP, name: APP });
  await replaceAppFile(dir, settings, async (connection) => {
    await connection.run("SET memory_limit = '4GB'");
    await openGiven(connection);
    for (const statement of rowStatements({ events })) await connection.run(statement);
    await settle(connection);
  });
}

async function append(file: string, dir: string, events: number): Promise<void> {
  await pipeline(Readable.from(linesOf(events)), createWriteStream(file));
  const mapping = parseMapping([], []);
  const format = { timeFormat: 'iso', skipBad: false } as const;
  await importEvents({ file, dir, app: APP, mapping, ...format, existing: 'append' });
}

function* linesOf(events: number): Generator<string> {
  yield 'event_name,user_id,recorded_at,screen_name,price\n';
  for (let i = 0; i < events; i++) {
    const at = new Date(NOW + Math.floor((i / events) * DAY_MS)).toISOString();
    yield `event_${i % 40},new_${i % USERS},${at},Screen ${i % 7},${i % 100}\n`;
  }
}
