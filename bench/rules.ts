import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { planChecks } from '../functions/plan-checks/plan-checks.ts';
import { syncRules } from '../functions/sync-rules/sync-rules.ts';
import { silentMeter } from '../local/terminal.ts';
import { routesSchema } from '../shared/notifications/routes.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { storesIn } from '../shared/store/stores.ts';
import { cadenceName } from '../shared/time/cadence.ts';
import { countUsage } from '../test/fixtures/table-usage.ts';
import { fleetRules } from './fleet-rules.ts';
import { openTableProcess } from './table-process.ts';

const SILENT = { info() {}, warn() {}, error() {} };
const ROUTES = routesSchema.parse({
  channels: { team: { slack: { webhook_secret: 'none' } } },
  default: ['team'],
});

/**
 * How 10,000 rules (or the first option) in 30 apps (or the second one) are deployed, planned and read, with the emulator
 * in a process of its own. The last figures are what a new process needs, beyond its start, for the rules of one batch,
 * for all of them as they are stored, and for all of them parsed.
 */
export async function run([count = '10000', apps = '30']: string[]) {
  const rules = fleetRules(
    Number(count),
    Array.from({ length: Number(apps) }, (_, i) => `app-${i}`),
  );
  const [first] = rules;
  if (!first) throw new RangeError('no rules');
  const cadence = cadenceName(first.cadence);
  const table = await openTableProcess(systemClock);
  const usage = countUsage(table.client);
  const deployment = { ...storesIn(table, SILENT), clock: systemClock, logger: SILENT };
  try {
    const deploying = await timeOf(() => syncRules({ version: 'v1', rules, routes: ROUTES }, deployment));
    const { requests: deployRequests, capacityUnits: deployUnits } = structuredClone(usage);
    let batches = 0;
    const planning = await timeOf(async () => {
      const queue = { send: async () => {} };
      const deps = {
        ...storesIn(table, SILENT),
        batches: queue,
        callsPerHour: 500,
        logger: SILENT,
        meter: silentMeter,
      };
      ({ batches } = await planChecks({ cadence, scheduledAt: Date.UTC(2026, 0, 13) }, deps));
    });
    const inBatch = rules.filter((rule) => rule.app === first.app && cadenceName(rule.cadence) === cadence);
    const ids = inBatch.slice(0, 100).map(({ id }) => id);
    const needs = (...task: string[]) => inNewProcess([table.socketPath, ...task]);
    return {
      ...{ rules: rules.length, apps: Number(apps), deploying, deployRequests, deployUnits },
      ...{ planning, planned: batches },
      ofBatch: await needs('ids', ...ids),
      ofAll: await needs('all'),
      ...(rules.length <= 10_000 && { parsed: await needs('parsed') }),
    };
  } finally {
    await table.close();
  }
}

async function inNewProcess(options: string[]): Promise<unknown> {
  const script = join(import.meta.dirname, 'rules-process.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...options]);
  return JSON.parse(stdout);
}

/** In seconds. `cpu` is that of this process, on a machine that does other work too. */
async function timeOf(work: () => Promise<unknown>): Promise<{ wall: number; cpu: number }> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return {
    wall: Math.round(performance.now() - startedAt) / 1000,
    cpu: Math.round((user + system) / 1000) / 1000,
  };
}
