import { readRules } from '../../cli/options/read-rules.ts';
import { start } from '../../local/start.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { RESTLESS_RULES } from '../fixtures/deltawatch.ts';

// The whole system at a time that is always the same, so that two runs go through the same past.
const [stateDir = '', port, now, days] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
await start({
  port: Number(port),
  stateDir,
  days: Number(days),
  ruleSet: await readRules(RESTLESS_RULES),
  clock: new ManualClock(Number(now)),
  signal: stop.signal,
});
