import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseMapping } from '../local/data/import/fields.ts';
import { importEvents } from '../local/data/import/import-events.ts';
import { openFolder } from '../local/data-access.ts';
import { createSystem, runsBetween } from '../local/system.ts';
import { silentMeter, terminalLogger } from '../local/terminal.ts';
import { routesSchema } from '../shared/notifications/routes.ts';
import { buildRule, type Rule, ruleSetEntrySchema } from '../shared/rules/rule.ts';
import { ManualClock } from '../shared/runtime/clock.ts';
import { storesIn } from '../shared/store/stores.ts';
import { DAY_MS } from '../shared/units/durations.ts';
import { openEmulatedTable } from '../test/fixtures/dynamodb.ts';
import { countUsage } from '../test/fixtures/table-usage.ts';
import { itemBytes } from './item-bytes.ts';

const RULES = 1000;
const DATA_DAYS = 16;
const WARM_UP_DAYS = 4;
const START = Date.UTC(2026, 0, 5);
const COUNTRIES = ['Germany', 'France', 'Spain', 'Italy', 'Malta'];

/**
 * Measures the alerting path from tick to message, with the emulator and the data access service in this process. It has
 * 1,000 daily rules, a few of them by country. One in a hundred events stops on the last day. An evaluation is one window
 * of one rule and segment.
 */
export async function run() {
  const dir = await mkdtemp(join(tmpdir(), 'deltawatch-pipeline-'));
  try {
    await writeData(dir);
    return await measure(dir);
  } finally {
    await rm(dir, { recursive: true });
  }
}

async function measure(dataDir: string) {
  const clock = new ManualClock(START);
  const table = await openEmulatedTable(clock);
  const dataAccess = openFolder(dataDir, { clock, apiKey: 'bench' });
  let calls = 0;
  let evaluations = 0;
  const system = createSystem({
    stores: storesIn(table, terminalLogger),
    clock,
    sourceFor: (app, runs) =>
      dataAccess.sourceFor(app, {
        ...runs,
        takeCalls: (appId, at, taken, perHour) => {
          calls += taken;
          return runs.takeCalls(appId, at, taken, perHour);
        },
      }),
    channelFor: async () => ({ send: async () => ({ kind: 'sent' }) }),
    logger: terminalLogger,
    meter: {
      ...silentMeter,
      count: (what, by = 1) => {
        if (what === 'Evaluations') evaluations += by;
      },
    },
  });
  const ruleSet = { version: 'bench', rules: benchRules(), routes: ROUTES };
  await system.rules.save(ruleSet);
  const runs = [...runsBetween(ruleSet.rules, START + 7 * DAY_MS, START + (DATA_DAYS + 1) * DAY_MS)];
  for (const { cadence, at } of runs.slice(0, WARM_UP_DAYS)) {
    clock.advanceTo(at);
    await system.tick(cadence, at);
  }
  const usage = countUsage(table.client);
  evaluations = 0;
  calls = 0;
  let notifications = 0;
  const startedAt = performance.now();
  const measured = runs.slice(WARM_UP_DAYS);
  for (const { cadence, at } of measured) {
    clock.advanceTo(at);
    notifications += (await system.tick(cadence, at)).length;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const sizes = await itemBytes(table);
  await table.close();
  dataAccess.close();
  const total = (figures: Record<string, number>, commands: RegExp) =>
    Object.entries(figures).reduce(
      (sum, [command, amount]) => sum + (commands.test(command) ? amount : 0),
      0,
    );
  const writes = /Put|Update|Delete|BatchWrite/;
  return {
    rules: RULES,
    ticks: measured.length,
    evaluations,
    notifications,
    rulesPerSecond: round((RULES * measured.length) / seconds),
    analyticsCalls: calls / measured.length,
    dynamoWritesPerEvaluation: round(total(usage.requests, writes) / evaluations),
    dynamoReadsPerEvaluation: round(total(usage.requests, /Get|Query/) / evaluations),
    writeUnitsPerEvaluation: round(total(usage.capacityUnits, writes) / evaluations),
    ...sizes,
  };
}

const ROUTES = routesSchema.parse({
  channels: { team: { slack: { webhook_secret: 'none' } } },
  default: ['team'],
});

/** 700 rules on the count of an event, 200 on its users, 60 on sessions, 40 on the count of an event by country. */
function benchRules(): Rule[] {
  const sessionMetrics = ['sessions', 'session_users', 'new_users', 'rage_gestures', 'session_seconds'];
  return Array.from({ length: RULES }, (_, i) => {
    const onEvent = { filters: [{ attribute: 'event_name', operator: 'equal', value: `event_${i % 700}` }] };
    if (i < 700) return benchRule(i, { metric: 'event_count', ...onEvent });
    if (i < 900) return benchRule(i, { metric: 'event_users', ...onEvent });
    if (i < 960) return benchRule(i, { metric: sessionMetrics[i % sessionMetrics.length] });
    return benchRule(i, { metric: 'event_count', group_by: 'device_country', ...onEvent });
  });
}

function benchRule(i: number, keys: Record<string, unknown>): Rule {
  const fire = { change: { below: `-${60 + (i % 30)}%` } };
  const entry = {
    id: `rule-${i}`,
    title: `Rule ${i}`,
    app: 'bench',
    owner: 'team',
    every: 'day at 01:00',
    fire,
    ...keys,
  };
  return buildRule(ruleSetEntrySchema.parse(entry));
}

async function writeData(dir: string): Promise<void> {
  const file = join(dir, 'events.ndjson');
  await pipeline(Readable.from(benchLines()), createWriteStream(file));
  await importEvents({
    file,
    dir,
    app: 'bench',
    mapping: parseMapping([], []),
    timeFormat: 'iso',
    skipBad: false,
  });
}

/** About 40 events of each name per day, in a fixed pattern that varies slightly from day to day. */
function* benchLines(): Generator<string> {
  for (let day = 0; day <= DATA_DAYS; day++)
    for (let event = 0; event < 700; event++) {
      if (day === DATA_DAYS - 1 && event % 100 === 0) continue;
      const count = 36 + ((day * 7 + event * 3) % 9);
      for (let i = 0; i < count; i++) {
        const user = (event * 31 + i * 17 + day) % 500;
        const at = START + day * DAY_MS + ((i * 1987 + event * 61) % 86_400) * 1000;
        yield `${JSON.stringify({
          event_name: `event_${event}`,
          user_id: `user-${user}`,
          recorded_at: new Date(at).toISOString(),
          country: COUNTRIES[user % COUNTRIES.length],
        })}\n`;
      }
    }
}

function round(figure: number): number {
  return Math.round(figure * 1000) / 1000;
}
