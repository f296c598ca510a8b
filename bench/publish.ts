import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseMapping } from '../local/data/import/fields.ts';
import { importEvents } from '../local/data/import/import-events.ts';
import { publishApp } from '../local/data/publish/publish.ts';
import { DAY_MS } from '../shared/units/durations.ts';
import { folderLake } from '../test/fakes/folder-lake.ts';
import { NOW } from './data-access/rows.ts';
import { round, timed } from './data-access/timing.ts';

const APP = 'shop';
const EVENTS = 2_000_000;
const DAYS = 90;
const USERS = 20_000;

/**
 * Publishes 90 days of imported events to a folder, imports one hundredth more on the next day, and publishes again. An
 * option sets another number of events. `ratio`: how many times faster the second publication is.
 */
export async function run([given = String(EVENTS)]: readonly string[]) {
  const events = Number(given);
  const root = await mkdtemp(join(tmpdir(), 'bench-publish-'));
  const dir = join(root, 'data');
  const lake = folderLake(join(root, 'lake'));
  try {
    await importDays(dir, join(root, 'history.csv'), { events, from: NOW - DAYS * DAY_MS, days: DAYS });
    const fullMs = await timed(() => publishApp({ dir, app: APP, lake }));
    await importDays(dir, join(root, 'more.csv'), { events: Math.round(events / 100), from: NOW, days: 1 });
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

/** Imports events of `days` days after `from`, evenly distributed. */
async function importDays(dir: string, file: string, lines: Lines): Promise<void> {
  await pipeline(Readable.from(linesOf(lines)), createWriteStream(file));
  const mapping = parseMapping([], []);
  const format = { timeFormat: 'iso', skipBad: false } as const;
  await importEvents({ file, dir, app: APP, mapping, ...format, existing: 'append' });
}

interface Lines {
  events: number;
  from: number;
  days: number;
}

function* linesOf({ events, from, days }: Lines): Generator<string> {
  yield 'event_name,user_id,recorded_at,screen_name,price\n';
  for (let i = 0; i < events; i++) {
    const at = new Date(from + Math.floor((i / events) * days * DAY_MS)).toISOString();
    yield `event_${i % 40},user_${i % USERS},${at},Screen ${i % 7},${i % 100}\n`;
  }
}
