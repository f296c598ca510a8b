import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createPage } from '../functions/respond/page/page.ts';
import { visitorsBy } from '../functions/respond/visitors.ts';
import { terminalLogger } from '../local/terminal.ts';
import type { Alert } from '../shared/alerts/alert.ts';
import type { AlertStore } from '../shared/alerts/alert-store.ts';
import { rowKeysOf, seriesOf } from '../shared/readings/series.ts';
import type { ReadingStore } from '../shared/readings/snapshots.ts';
import type { FigureRule } from '../shared/rules/rule.ts';
import { ManualClock } from '../shared/runtime/clock.ts';
import { openSqliteTable } from '../shared/store/sqlite-table.ts';
import { storesIn } from '../shared/store/stores.ts';
import { DAY_MS, HOUR_MS } from '../shared/units/durations.ts';
import { anEvaluation, aQuietAlert, NOW } from '../test/contracts/samples.ts';
import { ruleNamed, ruleSetOf } from '../test/fixtures/builders.ts';
import { temporaryFolder } from '../test/fixtures/deltawatch.ts';

const RULES = 1000;
/** Segments of each rule. With the alerts of whole rules, there are 5,000 alerts. */
const SEGMENTS = 4;
/** The number of open alerts: as on a bad day, and the worst case. */
const OPEN = { some: 100, all: RULES * (SEGMENTS + 1) };
const ROUNDS = 20;

const PATHS = [
  '/',
  '/alerts',
  '/rules',
  '/rules?page=10',
  '/timeline',
  '/rules/rule-0',
  '/alerts/rule-0?segment=s0',
  '/silences',
  '/deliveries',
  '/health',
];

/**
 * Measures the response time and size of each part of the page, and the most memory of the process, with the table of one
 * machine.
 */
export async function run() {
  return {
    rules: RULES,
    alerts: RULES * (SEGMENTS + 1),
    few: await measureAll(OPEN.some),
    many: await measureAll(OPEN.all),
    residentMb: Math.round(process.resourceUsage().maxRSS / 1024),
  };
}

async function measureAll(open: number) {
  const clock = new ManualClock(NOW);
  await using folder = await temporaryFolder();
  const table = openSqliteTable(join(folder.path, 'table.sqlite'), clock);
  const rules = Array.from({ length: RULES }, (_, i) => ruleOf(i));
  const stores = storesIn(table, terminalLogger);
  await stores.rules.save(ruleSetOf(...rules));
  await saveAlerts(rules, open, stores.alerts);
  await saveReadings(rules.slice(0, 1), stores.readings);
  const page = createPage({
    ...stores,
    visitors: visitorsBy({ kind: 'open' }, 'http://localhost', clock),
    callsPerHour: 500,
    newId: randomUUID,
  });
  const figures: Record<string, { ms: number; cpuMs: number; kb: number }> = {};
  for (const path of PATHS) figures[path] = await measure(path, open, page);
  table.close();
  const all = Object.values(figures);
  return {
    open,
    slowestMs: Math.max(...all.map(({ ms }) => ms)),
    mostCpuMs: Math.max(...all.map(({ cpuMs }) => cpuMs)),
    largestKb: Math.max(...all.map(({ kb }) => kb)),
  };
}

async function measure(path: string, open: number, page: ReturnType<typeof createPage>) {
  const times: number[] = [];
  let bytes = 0;
  const cpuBefore = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    const response = await page.request(path);
    bytes = Buffer.byteLength(await response.text());
    times.push(performance.now() - startedAt);
    if (response.status !== 200) throw new Error(`${path} returned status ${response.status}`);
  }
  const ms = Math.round(times.toSorted((a, b) => a - b)[ROUNDS / 2] ?? 0);
  const first = Math.round(times[0] ?? 0);
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuMs = Math.round((user + system) / 1000 / ROUNDS);
  console.log(
    `${open} open, ${path}: median ${ms} ms, first ${first} ms, CPU time ${cpuMs} ms, ${bytes} bytes`,
  );
  return { ms, cpuMs, kb: Math.round(bytes / 1000) };
}

function ruleOf(i: number): FigureRule {
  return ruleNamed(`rule-${i}`, {
    every: 'hour at :10',
    app: `app-${i % 5}`,
    group_by: 'device_country',
    zone: i % 2 === 0 ? 'Europe/Berlin' : 'UTC',
  });
}

async function saveAlerts(rules: FigureRule[], open: number, store: AlertStore): Promise<void> {
  const segments = Array.from({ length: SEGMENTS }, (_, i) => `s${i}`);
  const keys = [...segments, null].flatMap((segment) => rules.map(({ id }) => ({ ruleId: id, segment })));
  const alerts = keys.map((key, i) => aQuietAlert({ ...key, ...(i < open && firing()) }));
  for (let i = 0; i < alerts.length; i += 100)
    await Promise.all(alerts.slice(i, i + 100).map((alert) => store.save(alert)));
}

function firing(): Partial<Alert> {
  const { baseline, current } = anEvaluation();
  const { window } = current;
  const ends = { windowEndAt: window.endAt, firstEndAt: window.endAt };
  const fired = { ...ends, baseline, direction: 'up' as const, gap: null };
  return { state: 'firing', fired, incidents: [window], last: anEvaluation({ verdict: 'breached' }) };
}

/** Saves four weeks of hourly readings for the charts. */
async function saveReadings(rules: FigureRule[], store: ReadingStore): Promise<void> {
  for (const rule of rules) {
    const { family } = seriesOf(rule);
    const last = Math.floor(NOW / HOUR_MS) * HOUR_MS;
    for (let endAt = last - 28 * DAY_MS; endAt <= last; endAt += HOUR_MS)
      await store.save({
        family,
        window: { startAt: endAt - HOUR_MS, endAt },
        readAt: endAt + HOUR_MS,
        eventNames: ['purchase'],
        keys: rowKeysOf([rule]),
        rows: [
          {
            eventName: 'purchase',
            segment: 's0',
            current: { event_count: 1000 + ((endAt / HOUR_MS) % 24) * 20 },
          },
        ],
      });
  }
}
