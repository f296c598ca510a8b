import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { serve } from '@hono/node-server';
import * as z from 'zod';
import { createDataAccessApp } from '../functions/data-access/app.ts';
import { appsIn } from '../functions/data-access/apps/apps.ts';
import { parseMapping } from '../local/data/import/fields.ts';
import { importEvents } from '../local/data/import/import-events.ts';
import { terminalLogger } from '../local/terminal.ts';
import { hashOf } from '../shared/access/api-key.ts';
import { allowanceOf } from '../shared/access/rate-limit.ts';
import { ManualClock } from '../shared/runtime/clock.ts';
import { HOUR_MS } from '../shared/units/durations.ts';
import { API_KEY, APPS, COUNTRIES, EVENTS, PLATFORMS, START, STOPS_AT } from './fleet-rules.ts';

const DATA_HOURS = 24 * 9;

// A child process with the data access service without limits. It sends its port once it serves. Its parent sends the
// time.
const [dir = ''] = process.argv.slice(2);
for (const app of APPS) await writeData(app);
const clock = new ManualClock(START);
const apps = appsIn(dir);
const key = { id: 'bench', sha256: hashOf(API_KEY), apps: APPS };
const { fetch } = createDataAccessApp({
  apps,
  keys: { find: async (sha256) => (sha256 === key.sha256 ? key : undefined), noteUse: async () => {} },
  limiter: { admit: async (_caller, limit, now) => allowanceOf(true, { second: 0, hour: 0 }, limit, now) },
  clock,
  logger: terminalLogger,
});
const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => process.send?.({ port }));
process.on('message', (message) => {
  clock.advanceTo(z.strictObject({ now: z.number() }).parse(message).now);
  process.send?.({ isSet: true });
});
process.on('disconnect', () => {
  server.close();
  apps.close();
});

async function writeData(app: string): Promise<void> {
  const file = join(dir, `${app}.ndjson`);
  await pipeline(Readable.from(lines()), createWriteStream(file));
  const mapping = parseMapping([], []);
  await importEvents({ file, dir, app, mapping, timeFormat: 'iso', skipBad: false });
  await rm(file);
}

/** About five events of each name per hour, and twenty of those that stop, in a fixed pattern. */
function* lines(): Generator<string> {
  for (let at = START; at < START + DATA_HOURS * HOUR_MS; at += HOUR_MS)
    for (let event = 0; event < EVENTS; event++) {
      if (at >= STOPS_AT && event % 100 === 0) continue;
      const count = (event % 100 === 0 ? 20 : 4) + ((at / HOUR_MS + event) % 3);
      for (let i = 0; i < count; i++)
        yield `${JSON.stringify({
          event_name: `event_${event}`,
          user_id: `user-${(event * 31 + i) % 500}`,
          recorded_at: new Date(at + ((i * 331 + event * 17) % 3600) * 1000).toISOString(),
          country: COUNTRIES[i % COUNTRIES.length],
          platform: PLATFORMS[i % PLATFORMS.length],
        })}\n`;
    }
}
