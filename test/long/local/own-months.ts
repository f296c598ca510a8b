import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import * as z from 'zod';
import { notificationOf, type SimulatedNotification } from '../../../bench/simulate.ts';
import { readRules } from '../../../cli/options/read-rules.ts';
import { figuresOf } from '../../../local/figures.ts';
import { readArchive } from '../../../local/replay/archive.ts';
import { replay } from '../../../local/replay/replay.ts';
import { start } from '../../../local/start.ts';
import type { RuleSet } from '../../../shared/deployments/rule-store.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { type Folder, freePort, temporaryFolder } from '../../fixtures/deltawatch.ts';
import { INCIDENT_VERSION, importOwnData, ownDataSpan } from '../../fixtures/own-data.ts';

const RULES = fileURLToPath(new URL('../../fixtures/own-data-rules', import.meta.url));
const FLAGSHIP = 'checkout-failed-by-version';
/** A month that begins at midnight and ends on a Thursday, and one that begins about noon. */
export const FROM_MIDNIGHT = { seed: 4, days: 30 };
const FROM_NOON = { seed: 3, days: 30 };

/** Loads every rule of the folder. RULE_SETS has all, the daily ones, and the one that finds the incident. */
const every = await readRules(RULES);
const only = (isWanted: (rule: RuleSet['rules'][number]) => boolean): RuleSet => ({
  ...every,
  rules: every.rules.filter(isWanted),
});
export const RULE_SETS = {
  every,
  daily: only(({ id }) => id !== 'checkouts-hourly'),
  flagship: only(({ id }) => id === FLAGSHIP),
};

const folders: Folder[] = [];
export const removeMonths = () => Promise.all(folders.map((each) => each[Symbol.asyncDispose]()));

/** A state folder whose `data` holds a month, and the times of the month. */
type State = ReturnType<typeof ownDataSpan> & { dir: string };

const states = new Map<string, Promise<State>>();

/** Imported once. */
export function imported(month: typeof FROM_NOON, incident: boolean): Promise<State> {
  const key = JSON.stringify([month, incident]);
  const state = states.get(key) ?? importInto(month, incident);
  states.set(key, state);
  return state;
}

async function importInto(month: typeof FROM_NOON, incident: boolean): Promise<State> {
  const folder = await temporaryFolder();
  folders.push(folder);
  await mkdir(join(folder.path, 'data'));
  await importOwnData(join(folder.path, 'data'), { ...month, incident });
  return { ...ownDataSpan(month), dir: folder.path };
}

/** Backtests the default 90 days; the first 60 have no data. */
async function backtested({ dir, until }: State, ruleSet: RuleSet): Promise<SimulatedNotification[]> {
  const notified: SimulatedNotification[] = [];
  const clock = new ManualClock(until);
  const { sourceFor, close } = figuresOf({ kind: 'folder', dataDir: join(dir, 'data') }, clock);
  const span = { from: until - 90 * DAY_MS, to: until };
  const figures = await readArchive({ ...span, rules: ruleSet.rules, sourceFor, clock }).finally(close);
  for await (const event of replay({ ...span, ruleSet, figures }))
    if (event.kind === 'sent') notified.push(...event.pending.map(notificationOf));
  return notified;
}

const messageSchema = z.object({ text: z.string() });

/** The messages that `npm start` sends for the default 35 days before it is live. */
export async function sentByStart({ dir: stateDir, until }: State, ruleSet: RuleSet): Promise<string[]> {
  const stop = new AbortController();
  const said = vi.spyOn(console, 'error').mockImplementation((line) => {
    if (String(line).startsWith('Now live')) stop.abort();
  });
  const clock = new ManualClock(until);
  const port = await freePort();
  const figures = { kind: 'folder', dataDir: join(stateDir, 'data') } as const;
  await start({
    host: '127.0.0.1',
    port,
    stateDir,
    figures,
    days: 35,
    ruleSet,
    clock,
    signal: stop.signal,
  }).finally(() => said.mockRestore());
  expect(stop.signal.aborted).toBe(true);
  const lines = (await readFile(join(stateDir, 'slack-inbox.ndjson'), 'utf8')).split('\n').filter(Boolean);
  return lines.map((line) => messageSchema.parse(JSON.parse(line)).text);
}

/** A command to try on a month, and the rules with which it reports nothing if there is no incident. */
interface Way {
  way: string;
  month: typeof FROM_NOON;
  quiet: keyof typeof RULE_SETS;
  notified: (state: State, ruleSet: RuleSet) => Promise<SimulatedNotification[]>;
}

export const BACKTEST: Way = {
  ...{ way: 'backtest', month: FROM_MIDNIGHT, quiet: 'every' },
  notified: backtested,
};
export const BACKTEST_FROM_NOON: Way = {
  ...{ way: 'backtest from noon on', month: FROM_NOON, quiet: 'every' },
  notified: backtested,
};

/** Expects one rule to report the incident of the month, and only once. */
export async function reportsTheIncidentOnce({ month, notified }: Way): Promise<void> {
  const state = await imported(month, true);
  const sent = await notified(state, RULE_SETS.flagship);
  expect(sent).toMatchObject([{ rule: FLAGSHIP, segment: INCIDENT_VERSION, transition: 'fired' }]);
  const [{ windowEnd, changePct } = { windowEnd: '', changePct: 0 }] = sent;
  expect(Date.parse(windowEnd)).toBeGreaterThan(state.incidentFrom);
  expect(changePct).toBeGreaterThan(100);
}

/** Expects no report on the same month without the incident. */
export async function reportsNothing({ month, quiet, notified }: Way): Promise<void> {
  expect(await notified(await imported(month, false), RULE_SETS[quiet])).toEqual([]);
}
