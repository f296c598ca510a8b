import { join } from 'node:path';
import { readRules } from '../../cli/options/read-rules.ts';
import { start } from '../../local/start.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { RESTLESS_RULES } from '../fixtures/deltawatch.ts';

// Starts the whole system at a fixed time, so that two starts replay the same days.
const [stateDir = '', port, now, days] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
await start({
  host: '127.0.0.1',
  port: Number(port),
  stateDir,
  figures: { kind: 'folder', dataDir: join(stateDir, 'data') },
  days: Number(days),
  ruleSet: await readRules(RESTLESS_RULES),
  clock: new ManualClock(Number(now)),
  signal: stop.signal,
});
