import { randomBytes } from 'node:crypto';
import { dataSpan } from '../local/data/app-file.ts';
import { type AccessOptions, type LocalDataAccess, openFolder } from '../local/data-access.ts';
import { begunRuns, createSystem } from '../local/system.ts';
import { silentMeter, terminalLogger } from '../local/terminal.ts';
import type { RuleSet } from '../shared/deployments/rule-store.ts';
import type { PendingNotification } from '../shared/notifications/pending.ts';
import type { Rule } from '../shared/rules/rule.ts';
import { ManualClock } from '../shared/runtime/clock.ts';
import { inMemoryStores } from '../shared/store/in-memory/stores.ts';

export interface SimulationOptions {
  ruleSet: RuleSet;
  /** Epoch milliseconds; runs in `(from, to]` are simulated. */
  from: number;
  to: number;
  dataDir: string;
  /** Opens the data instead of the folder, such as the same rows in tables elsewhere. */
  open?: (options: AccessOptions) => LocalDataAccess;
  onProgress?: (done: number, total: number) => void;
}

/** A notification in figures and texts. Times are ISO 8601 in UTC. */
export interface SimulatedNotification {
  rule: string;
  segment: string | null;
  windowEnd: string;
  transition: string;
  current: number | null;
  baseline: number | null;
  /** Percent, rounded to two decimals; `null` for a rise from zero and for notifications without figures. */
  changePct: number | null;
  route: string;
}

/**
 * Runs the rules over past data with the production functions, rate limits and stores in memory. The service
 * uses the simulated clock, so data that was uploaded late is missing as it was then. Skips runs before an app has
 * data. The same data, rules and span give the same notifications.
 */
export async function* simulate(options: SimulationOptions): AsyncGenerator<SimulatedNotification> {
  const { ruleSet, from, to, dataDir, onProgress } = options;
  const { open = (given) => openFolder(dataDir, given) } = options;
  const clock = new ManualClock(from);
  const dataAccess = open({ clock, apiKey: randomBytes(32).toString('base64url') });
  try {
    const system = createSystem({
      stores: inMemoryStores(),
      clock,
      sourceFor: dataAccess.sourceFor,
      channelFor: async () => ({ send: async () => ({ kind: 'sent' }) }),
      notesVersions: () => true,
      logger: terminalLogger,
      meter: silentMeter,
    });
    await system.rules.save(ruleSet);
    const begins = await beginningsOf(ruleSet.rules, dataDir);
    const span = { after: from, through: to };
    for (const run of begunRuns(ruleSet.rules, span, (app) => begins.get(app))) {
      clock.advanceTo(run.at);
      for (const pending of await system.tick(run.cadence, run.at, run.isAsked))
        yield notificationOf(pending);
      onProgress?.(run.at - from, to - from);
    }
  } finally {
    dataAccess.close();
  }
}

/** The same, as a list. */
export async function simulated(options: SimulationOptions): Promise<SimulatedNotification[]> {
  const notifications = [];
  for await (const each of simulate(options)) notifications.push(each);
  return notifications;
}

/** The time of the first data, by app. */
async function beginningsOf(rules: readonly Rule[], dataDir: string): Promise<Map<string, number>> {
  const begins = new Map<string, number>();
  for (const app of new Set(rules.map((rule) => rule.app))) {
    const data = await dataSpan(dataDir, app);
    if (data) begins.set(app, data.firstAt);
  }
  return begins;
}

export function notificationOf({
  alert,
  notification,
}: Pick<PendingNotification, 'alert' | 'notification'>): SimulatedNotification {
  const change = notification.evaluation?.change ?? null;
  return {
    rule: alert.ruleId,
    segment: alert.segment,
    windowEnd: new Date(notification.windowEndAt).toISOString(),
    transition: notification.transition,
    current: notification.evaluation?.current.value ?? null,
    baseline: notification.evaluation?.baseline.value ?? null,
    changePct: change === null ? null : Math.round(change * 10_000) / 100,
    route: notification.route,
  };
}
