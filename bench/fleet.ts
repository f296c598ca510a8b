import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { createSystem, runsBetween } from '../local/system.ts';
import { silentMeter, terminalLogger } from '../local/terminal.ts';
import { routesSchema } from '../shared/notifications/routes.ts';
import { callsWithin } from '../shared/readings/metric-source.ts';
import { questionFor, seriesOf } from '../shared/readings/series.ts';
import type { Rule } from '../shared/rules/rule.ts';
import { ManualClock } from '../shared/runtime/clock.ts';
import { partsOf } from '../shared/source/calls.ts';
import { createHttpMetricSource } from '../shared/source/metric-source.ts';
import { storesIn } from '../shared/store/stores.ts';
import { HOUR_MS } from '../shared/units/durations.ts';
import { countUsage, type Usage } from '../test/fixtures/table-usage.ts';
import { API_KEY, fleetRules, STOPS_AT } from './fleet-rules.ts';
import { openTableProcess } from './table-process.ts';

/** All cadences run once an hour. In the first hour all rules are new. */
const FIRST_AT = STOPS_AT - HOUR_MS;
const WARM_UP_HOURS = 2;
const MEASURED_HOURS = 2;
const CALLS_PER_HOUR = 5000;

const ROUTES = routesSchema.parse({
  channels: { team: { slack: { webhook_secret: 'none' } } },
  default: ['team'],
});

/**
 * Rules of one stage (10,000, or the first option), hourly, in three apps, with the emulator and the data access service
 * in processes of their own. `callsOverLowerBound` compares the calls of an hour with one question for each family of
 * rules and window, `naiveOverCalls` with one question for each rule. `spareCalls` read the past of new rules.
 */
export async function run([count = '10000']: string[]) {
  const rules = fleetRules(Number(count));
  const { hours, spareCalls, secondsToMessage } = await measureFleet(rules);
  const callsPerHour = perHour(hours, 'calls');
  return {
    rules: rules.length,
    firstHourCalls: hours[0]?.calls,
    spareCalls,
    callsPerHour,
    callsOverLowerBound: round(callsPerHour / leastCalls(rules)),
    naiveOverCalls: round(rules.length / callsPerHour),
    seconds: round(perHour(hours, 'seconds')),
    cpuSeconds: round(perHour(hours, 'cpuSeconds')),
    messages: secondsToMessage.length,
    p99SecondsToMessage: round(quantile(secondsToMessage, 0.99)),
    residentMb: Math.round(process.resourceUsage().maxRSS / 1024),
  };
}

/** What all rules together use in one hour. */
interface FleetHour {
  calls: number;
  batches: number;
  /** Capacity units of DynamoDB, without its indexes. */
  writeUnits: number;
  readUnits: number;
  seconds: number;
  cpuSeconds: number;
}

/** The mean of the hours after the first looks of new rules. */
export const perHour = (hours: readonly FleetHour[], figure: keyof FleetHour): number =>
  hours.slice(WARM_UP_HOURS).reduce((sum, hour) => sum + hour[figure], 0) / MEASURED_HOURS;

/** Runs the rules for some hours. */
export async function measureFleet(rules: Rule[]) {
  const dir = await mkdtemp(join(tmpdir(), 'deltawatch-fleet-'));
  try {
    return await measure(dir, rules);
  } finally {
    await rm(dir, { recursive: true });
  }
}

async function measure(dataDir: string, rules: Rule[]) {
  const clock = new ManualClock(FIRST_AT);
  const service = fork(join(import.meta.dirname, 'fleet-data-access.ts'), [dataDir]);
  const { port } = await firstMessage(service, z.object({ port: z.number() }));
  const table = await openTableProcess(clock);
  let calls = 0;
  let spareCalls = 0;
  let batches = 0;
  let tickAt = 0;
  const secondsToMessage: number[] = [];
  const stores = storesIn(table, terminalLogger);
  const usage = countUsage(table.client);
  const system = createSystem({
    stores: {
      ...stores,
      runs: {
        ...stores.runs,
        saveTick: (tick) => {
          batches += tick.batches.length;
          return stores.runs.saveTick(tick);
        },
      },
    },
    clock,
    sourceFor: (_app, runs) =>
      createHttpMetricSource({
        ...{ baseUrl: `http://127.0.0.1:${port}`, apiKey: API_KEY, clock, supportsBodyComparison: true },
        budget: {
          takeCalls: async (app, at, wanted, part) => {
            const isTaken = await runs.takeCalls(app, at, wanted, callsWithin(part, CALLS_PER_HOUR));
            if (isTaken && part === 'whole') calls += wanted;
            else if (isTaken) spareCalls += wanted;
            return isTaken;
          },
        },
      }),
    channelFor: async () => ({
      send: async ({ items }) => {
        for (const _ of items) secondsToMessage.push((performance.now() - tickAt) / 1000);
        return { kind: 'sent' };
      },
    }),
    logger: terminalLogger,
    meter: silentMeter,
  });
  try {
    await system.rules.save({ version: 'bench', rules, routes: ROUTES });
    const hours: FleetHour[] = [];
    for (let hour = 0; hour < WARM_UP_HOURS + MEASURED_HOURS; hour++) {
      const after = FIRST_AT + hour * HOUR_MS;
      const before = { calls, batches, ...unitsOf(usage) };
      const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()];
      for (const { cadence, at } of runsBetween(rules, after, after + HOUR_MS)) {
        clock.advanceTo(at);
        service.send({ now: at });
        await once(service, 'message');
        tickAt = performance.now();
        await system.tick(cadence, at);
      }
      const { user, system: ofSystem } = process.cpuUsage(cpuBefore);
      const { writeUnits, readUnits } = unitsOf(usage);
      hours.push({
        calls: calls - before.calls,
        batches: batches - before.batches,
        writeUnits: writeUnits - before.writeUnits,
        readUnits: readUnits - before.readUnits,
        seconds: (performance.now() - startedAt) / 1000,
        cpuSeconds: (user + ofSystem) / 1e6,
      });
      console.error(`hour ${hour + 1}: ${JSON.stringify(hours.at(-1))}`);
    }
    return { hours, spareCalls, secondsToMessage };
  } finally {
    await table.close();
    service.disconnect();
  }
}

function unitsOf({ capacityUnits }: Usage) {
  const writes = /Put|Update|Delete|BatchWrite|TransactWrite/;
  const sum = (isCounted: (command: string) => boolean) =>
    Object.entries(capacityUnits).reduce(
      (all, [command, units]) => all + (isCounted(command) ? units : 0),
      0,
    );
  return {
    writeUnits: sum((command) => writes.test(command)),
    readUnits: sum((command) => !writes.test(command)),
  };
}

async function firstMessage<T>(child: ChildProcess, schema: z.ZodType<T>): Promise<T> {
  const [message] = await once(child, 'message');
  return schema.parse(message);
}

/**
 * For each app, the time of the newest event, and for each family a question about the hour and the week before, in as
 * many calls as its events need.
 */
function leastCalls(rules: Rule[]): number {
  const figures = rules.filter((rule) => !rule.members);
  const families = Map.groupBy(figures, (rule) => seriesOf(rule).family);
  const window = { startAt: 0, endAt: HOUR_MS };
  const calls = [...families.values()].map((family) => 2 * partsOf(questionFor(family, window)).length);
  return new Set(figures.map(({ app }) => app)).size + calls.reduce((sum, count) => sum + count, 0);
}

function quantile(figures: readonly number[], share: number): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length * share)] ?? Number.NaN;
}

const round = (figure: number): number => Math.round(figure * 100) / 100;
