import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { inDuckDb } from '../local/data/duckdb.ts';
import { parseMapping } from '../local/data/import/fields.ts';
import { importEvents } from '../local/data/import/import-events.ts';
import { DAY_MS, MINUTE_MS } from '../shared/units/durations.ts';
import { round } from './data-access/timing.ts';

const EVENTS = 1_000_000;
const PER_SESSION = 8;
const DAYS = 90;
const START = Date.UTC(2026, 0, 1);

/**
 * Imports a CSV file of events into a new app. An option sets another number of events. Times are those of the
 * processor, so that other work and further cores do not change them. `ratio`: how many times longer the import takes
 * than DuckDB needs to write the file as Parquet.
 */
export async function run([given = String(EVENTS)]: readonly string[]) {
  const events = Number(given);
  const root = await mkdtemp(join(tmpdir(), 'bench-import-'));
  const file = join(root, 'events.csv');
  try {
    await pipeline(Readable.from(linesOf(events)), createWriteStream(file));
    const readMs = await processorTime(() =>
      inDuckDb((connection) =>
        connection.run(`COPY (FROM read_csv('${file}')) TO '${file}.parquet' (COMPRESSION zstd)`),
      ),
    );
    const importMs = await processorTime(() =>
      importEvents({
        ...{ file, dir: join(root, 'data'), app: 'shop', mapping: parseMapping([], []) },
        ...{ timeFormat: 'iso', skipBad: false },
      }),
    );
    return {
      events,
      importMs: Math.round(importMs),
      eventsPerSecond: Math.round((events / importMs) * 1000),
      ratio: round(importMs / readMs),
    };
  } finally {
    await rm(root, { recursive: true });
  }
}

async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function* linesOf(events: number): Generator<string> {
  yield 'event_name,user_id,recorded_at,screen_name,platform,app_version,country,plan,price\n';
  for (let i = 0; i < events; i++) {
    const session = Math.floor(i / PER_SESSION);
    const startsAt = START + Math.floor((i / events) * DAYS) * DAY_MS + (session % 1440) * MINUTE_MS;
    const at = new Date(startsAt + (i % PER_SESSION) * MINUTE_MS).toISOString();
    const about = `${['ios', 'android', 'web'][session % 3]},5.${session % 7}.0,${['DE', 'FR', 'US'][session % 3]}`;
    yield `event_${i % 40},u-${(session * 7919) % 20_000},${at},Screen ${i % 7},${about},pro,${i % 100}.5\n`;
  }
}
