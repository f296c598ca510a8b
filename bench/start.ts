import { readRules } from '../cli/options/read-rules.ts';
import { demoDataFor } from '../local/demo-data.ts';
import { figuresOf } from '../local/figures.ts';
import { readArchive } from '../local/replay/archive.ts';
import { replay } from '../local/replay/replay.ts';
import { ManualClock } from '../shared/runtime/clock.ts';
import { DAY_MS } from '../shared/units/durations.ts';
import { eventually, freePort, launchDeltawatch, temporaryFolder } from '../test/fixtures/deltawatch.ts';
import { simulate } from './simulate.ts';

const DAYS = 35;
const TO = Date.UTC(2026, 8, 1);
const SPAN = { from: TO - DAYS * DAY_MS, to: TO };
const LONGEST_MS = 600_000;

/**
 * The first minutes of a newcomer. `secondsToLive`: `deltawatch start` in an empty folder, from the command to the end of
 * its replay, with the demo shop. `simulateOverBacktest`: the time of a simulation of 35 days of the rules of this
 * repository, over that of a backtest of the same days.
 */
export async function run() {
  await using folder = await temporaryFolder();
  const secondsToLive = await timed(async () => {
    const args = ['start', '--port', `${await freePort()}`, '--state', folder.path];
    await using system = launchDeltawatch(args, process.cwd());
    const isLive = () => system.printed().includes('Now live') || undefined;
    const failed = system.ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
    await Promise.race([eventually('the end of the replay', isLive, LONGEST_MS), failed]);
  });
  const dataDir = await demoDataFor({ ...SPAN, seed: 1 }, folder.path);
  const backtestSeconds = await timed(() => backtest(dataDir));
  const simulateSeconds = await timed(async () => {
    const ruleSet = await readRules('rules');
    for await (const _ of simulate({ ruleSet, ...SPAN, dataDir }));
  });
  return {
    ...{ days: DAYS, secondsToLive, backtestSeconds, simulateSeconds },
    simulateOverBacktest: Math.round((10 * simulateSeconds) / backtestSeconds) / 10,
  };
}

async function backtest(dataDir: string): Promise<void> {
  const ruleSet = await readRules('rules');
  const clock = new ManualClock(TO);
  const { sourceFor, close } = figuresOf({ kind: 'folder', dataDir }, clock);
  const figures = await readArchive({ rules: ruleSet.rules, ...SPAN, sourceFor, clock });
  close();
  for await (const _ of replay({ ruleSet, ...SPAN, figures }));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return Math.round((performance.now() - startedAt) / 100) / 10;
}
