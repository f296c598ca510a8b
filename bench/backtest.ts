import { readRules } from '../cli/options/read-rules.ts';
import { demoDataFor } from '../local/demo-data.ts';
import { figuresOf } from '../local/figures.ts';
import { readArchive } from '../local/replay/archive.ts';
import { replay } from '../local/replay/replay.ts';
import { progressLine } from '../local/terminal.ts';
import { routesSchema } from '../shared/notifications/routes.ts';
import { seriesOf } from '../shared/readings/series.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../shared/rules/rule.ts';
import { ManualClock } from '../shared/runtime/clock.ts';
import { DAY_MS } from '../shared/units/durations.ts';
import { type ComparedNotification, differencesBetween, notificationsIn } from './differences.ts';
import { simulate } from './simulate.ts';

const TO = Date.UTC(2026, 8, 1);
const DAYS = 90;
const FROM = TO - DAYS * DAY_MS;
/** The longest history that a median needs. The seasonal model works with any history. */
const LEAD_DAYS = 70;

const EVENTS = ['view_item', 'search', 'view_category', 'add_to_cart', 'begin_checkout', 'purchase'];
const PLATFORMS = ['android', 'ios', 'web'];

/** The days that are also simulated. Simulations are slow. */
const COMPARED_DAYS = 28;

/**
 * Backtests 100 rules over 90 days of the demo shop, from the first call to the last message: `mixed` with rules as
 * teams write them, `hourly` with hourly counts only. `differences` compares a backtest of `rules/` over the last days
 * with a simulation, in which data arrives late. An option selects one of the three. The shop is generated once and
 * reused.
 */
export async function run([only]: string[] = []) {
  const line = progressLine();
  const span = { from: FROM - LEAD_DAYS * DAY_MS, to: TO, seed: 1 };
  const dataDir = await demoDataFor(span, '.deltawatch', ({ days, ofDays }) =>
    line.show('Writing the demo shop', days, ofDays),
  );
  line.end();
  const isSelected = (measurement: string) => only === undefined || only === measurement;
  return {
    rules: mixedRules().length,
    days: DAYS,
    ...(isSelected('mixed') && { mixed: await measure(dataDir, mixedRules()) }),
    ...(isSelected('hourly') && { hourly: await measure(dataDir, hourlyRules()) }),
    ...(isSelected('differences') && { differences: await differences(dataDir) }),
  };
}

/** Prints each difference and counts them by cause. */
async function differences(dataDir: string): Promise<Record<string, number>> {
  const ruleSet = await readRules('rules');
  const span = { from: TO - COMPARED_DAYS * DAY_MS, to: TO };
  const clock = new ManualClock(TO);
  const { sourceFor, close } = figuresOf({ kind: 'folder', dataDir }, clock);
  const figures = await readArchive({ rules: ruleSet.rules, ...span, sourceFor, clock });
  close();
  const replayed: ComparedNotification[] = [];
  for await (const event of replay({ ruleSet, ...span, figures })) replayed.push(...notificationsIn(event));
  const simulated: ComparedNotification[] = [];
  for await (const entry of simulate({ ruleSet, ...span, dataDir })) simulated.push(entry);
  const found = differencesBetween(replayed, simulated);
  for (const { cause, ...entry } of found) {
    const { rule, segment, windowEnd, transition } = entry.replayed ?? entry.simulated ?? {};
    const textOf = (each: ComparedNotification | undefined) =>
      each ? `${each.baseline} to ${each.current}` : 'nothing';
    console.error(`${windowEnd} ${transition} ${rule} ${segment ?? ''}: ${cause}`);
    console.error(`  replayed ${textOf(entry.replayed)}, simulated ${textOf(entry.simulated)}`);
  }
  const byCause = Object.entries(Object.groupBy(found, ({ cause }) => cause));
  const counts = byCause.map(([cause, each]) => [cause, each.length]);
  return { replayed: replayed.length, simulated: simulated.length, ...Object.fromEntries(counts) };
}

async function measure(dataDir: string, rules: Rule[]) {
  const clock = new ManualClock(TO);
  const source = figuresOf({ kind: 'folder', dataDir }, clock);
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const figures = await readArchive({ rules, from: FROM, to: TO, sourceFor: source.sourceFor, clock });
  const readAt = performance.now();
  const seen = { evaluated: 0, unseen: 0, unevaluated: 0, sent: 0 };
  const ruleSet = { version: 'bench', rules, routes: ROUTES };
  for await (const { kind } of replay({ ruleSet, from: FROM, to: TO, figures })) seen[kind] += 1;
  const doneAt = performance.now();
  const { user, system } = process.cpuUsage(cpuBefore);
  const apps = [...new Set(rules.map(({ app }) => app))];
  const calls = apps.reduce((sum, app) => sum + (source.sourceFor(app).callsMade?.() ?? 0), 0);
  source.close();
  const seconds = (ms: number) => Math.round(ms / 10) / 100;
  return {
    ...{ windows: seen.evaluated, unevaluated: seen.unevaluated, messages: seen.sent },
    families: new Set(rules.flatMap((rule) => (rule.members ? [] : [seriesOf(rule).family]))).size,
    calls,
    ...{ readSeconds: seconds(readAt - startedAt), replaySeconds: seconds(doneAt - readAt) },
    seconds: seconds(doneAt - startedAt),
    cpuSeconds: seconds((user + system) / 1000),
  };
}

const ROUTES = routesSchema.parse({
  channels: { team: { slack: { webhook_secret: 'none' } } },
  default: ['team'],
});

/** 60 daily counts, 20 hourly counts, 10 means and ratios, 5 rules with segments and 5 with anomaly detection. */
function mixedRules(): Rule[] {
  const daily = Array.from({ length: 60 }, (_, i) => ({
    every: 'day at 01:30',
    settle: '1 hour',
    ...{ metric: i % 2 === 0 ? 'event_count' : 'event_users', filters: countOf(i) },
    fire: { change: { below: `-${25 + (i % 10)}%` } },
  }));
  const hourly = Array.from({ length: 20 }, (_, i) => hourlyRule(i));
  const means = Array.from({ length: 5 }, (_, i) => ({
    every: 'day at 01:30',
    metric: ['rage_gestures_per_session', 'session_seconds', 'gestures_per_session'][i % 3],
    filters: [{ attribute: 'device_platform', operator: 'equal', value: PLATFORMS[i % 3] }],
    fire: { change: { above: `${30 + i}%` } },
  }));
  const ratios = EVENTS.slice(1).map((of, i) => ({
    ...{ every: 'day at 01:30', ratio: { of, to: EVENTS[i] }, fire: { change: { below: '-20%' } } },
  }));
  const segments = EVENTS.slice(0, 5).map((event, i) => ({
    ...{ every: 'day at 01:30', metric: 'event_count', filters: [named(event)] },
    group_by: i % 2 === 0 ? 'device_country' : 'app_version',
    compare: { to: 'same_weekday' },
    fire: { change: { below: '-60%' } },
  }));
  const seasons = EVENTS.slice(0, 5).map((event, i) => ({
    every: i < 2 ? 'hour at :20' : 'day at 01:30',
    ...{ metric: 'event_count', filters: [named(event)], anomaly: true },
  }));
  return [...daily, ...hourly, ...means, ...ratios, ...segments, ...seasons].map(ruleOf);
}

function hourlyRules(): Rule[] {
  return Array.from({ length: 100 }, (_, i) => ruleOf(hourlyRule(i), i));
}

function hourlyRule(i: number) {
  const fire = { change: { below: `-${50 + (i % 20)}%` } };
  return { every: 'hour at :20', metric: 'event_count', filters: countOf(i), fire };
}

/** The filters of a count: one event, on one platform or on all. */
function countOf(i: number) {
  const platform = PLATFORMS[Math.floor(i / EVENTS.length) % (PLATFORMS.length + 1)];
  return [
    named(EVENTS[i % EVENTS.length]),
    ...(platform ? [{ attribute: 'device_platform', operator: 'equal', value: platform }] : []),
  ];
}

function named(event = '') {
  return { attribute: 'event_name', operator: 'equal', value: event };
}

function ruleOf(keys: object, i: number): Rule {
  const about = { id: `rule-${i}`, title: `Rule ${i}`, app: 'demo', owner: 'team', zone: 'Europe/Berlin' };
  return buildRule(ruleSetEntrySchema.parse({ ...about, minimum: { baseline: 20 }, ...keys }));
}
