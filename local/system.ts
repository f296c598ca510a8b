import { type CheckRulesDeps, checkRules } from '../functions/check-rules/check-rules.ts';
import { noteVersions } from '../functions/check-rules/note-versions.ts';
import { sendDigest } from '../functions/notify/digest.ts';
import { notifyPending } from '../functions/notify/notify.ts';
import { sendTestNotifications } from '../functions/notify/test-notifications.ts';
import { planChecks } from '../functions/plan-checks/plan-checks.ts';
import type { ChannelConfig } from '../shared/channels/kinds.ts';
import type { Wanted } from '../shared/deployments/rule-store.ts';
import type { Channel } from '../shared/messages/channel.ts';
import type { MessageLinks } from '../shared/messages/message-links.ts';
import type { PendingNotification } from '../shared/notifications/pending.ts';
import type { Batch } from '../shared/planning/plan.ts';
import type { RunStore } from '../shared/planning/run-store.ts';
import type { MetricSource } from '../shared/readings/metric-source.ts';
import type { Rule } from '../shared/rules/rule.ts';
import type { Clock, Millis } from '../shared/runtime/clock.ts';
import type { Logger } from '../shared/runtime/logger.ts';
import type { Meter } from '../shared/runtime/metrics.ts';
import type { Stores } from '../shared/store/stores.ts';
import { type Cadence, cadenceName, nextRun } from '../shared/time/cadence.ts';
import { lastClosedWindow } from '../shared/time/window.ts';
import { DAY_MS, MINUTE_MS } from '../shared/units/durations.ts';
import { lazyBy } from '../shared/units/lazy.ts';

export interface SystemParts extends Pick<CheckRulesDeps, 'readFamilies' | 'findings'> {
  stores: Stores;
  clock: Clock;
  sourceFor: (app: string, runs: RunStore) => MetricSource;
  channelFor: (config: ChannelConfig, name: string) => Promise<Channel>;
  /** Without it messages have no links. */
  links?: MessageLinks;
  /** Whether to note new versions of an app, which asks the source once a day. */
  notesVersions?: (app: string) => boolean;
  logger: Logger;
  meter: Meter;
}

export type System = ReturnType<typeof createSystem>;

/** The functions that run in AWS, connected within one process. */
export function createSystem({ stores, sourceFor, notesVersions, ...parts }: SystemParts) {
  const { runs } = stores;
  // A crash loses them. That is safe: the next run evaluates missed windows, and the sweep sends pending notifications.
  const waiting: Batch[] = [];
  const batches = { send: async (items: Batch[]) => void waiting.push(...items) };
  // Every run ends with notifying, so no trigger is needed.
  const wakeUps = { send: async () => {} };
  const source = lazyBy((app: string) => sourceFor(app, runs));
  const deps = { ...parts, ...stores, batches, wakeUps, sourceFor: source };
  const notify = () => notifyPending(deps);
  const loadRules = async (wanted: Wanted | undefined, isAsked: (rule: Rule) => boolean) => {
    const ruleSet = await stores.rules.loadCurrent(wanted);
    return ruleSet && { ...ruleSet, rules: ruleSet.rules.filter(isAsked) };
  };

  return {
    ...stores,
    /** Sends due notifications, including those that were missed or failed before. */
    notify,
    sendTestNotifications: () => sendTestNotifications(deps),
    /** Only in real time: a replay of the past sends no digest. */
    sendDigest: () => sendDigest(deps),
    /** One run of a cadence, from planning to notifying; of all rules, or the given ones. */
    async tick(
      cadence: string,
      scheduledAt: number,
      isAsked: (rule: Rule) => boolean = () => true,
    ): Promise<PendingNotification[]> {
      const rules = { ...deps.rules, loadCurrent: (wanted?: Wanted) => loadRules(wanted, isAsked) };
      await planChecks({ cadence, scheduledAt }, { ...deps, rules });
      for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
        await checkRules(batch, deps);
        if (notesVersions?.(batch.app)) await noteVersions(batch, deps);
      }
      return (await notify()).sent;
    },
  };
}

export interface Run {
  cadence: string;
  at: number;
}

/** No cadence has fewer runs than one a month. */
const LONGEST_MS = 32 * DAY_MS;

/** The last run of each cadence at or before `at`. */
export function lastRuns(rules: Rule[], at: number): Run[] {
  const last = new Map<string, Run>();
  for (const run of runsBetween(rules, at - LONGEST_MS, at)) last.set(run.cadence, run);
  return [...last.values()].toSorted((a, b) => a.at - b.at);
}

/** All runs of the rules' cadences in `(after, through]`, in order. */
export function* runsBetween(rules: Rule[], after: number, through: number): Generator<Run> {
  const cadences = new Map<string, Cadence>(rules.map((rule) => [cadenceName(rule.cadence), rule.cadence]));
  const next = [...cadences].map(([name, cadence]) => ({ name, cadence, at: nextRun(cadence, after) }));
  for (;;) {
    const first = next.reduce<(typeof next)[number] | undefined>(
      (a, b) => (a && a.at <= b.at ? a : b),
      undefined,
    );
    if (!first || first.at > through) return;
    yield { cadence: first.name, at: first.at };
    first.at = nextRun(first.cadence, first.at);
  }
}

/** A run of the rules whose apps already have data. */
export interface BegunRun extends Run {
  isAsked: (rule: Rule) => boolean;
}

/** Runs in `(after, through]` of rules whose app had data by the end of the window. `beginsAt`: of the first data. */
export function* begunRuns(
  rules: Rule[],
  { after, through }: { after: Millis; through: Millis },
  beginsAt: (app: string) => Millis | undefined,
): Generator<BegunRun> {
  const byCadence = Map.groupBy(rules, ({ cadence }) => cadenceName(cadence));
  for (const run of runsBetween(rules, after, through)) {
    const isAsked = (rule: Rule) => isBegun(rule, run.at, beginsAt(rule.app));
    if (byCadence.get(run.cadence)?.some(isAsked)) yield { ...run, isAsked };
  }
}

function isBegun({ settle, window: grain, zone }: Rule, at: Millis, beginsAt = -Infinity): boolean {
  return lastClosedWindow(at - settle * MINUTE_MS, { grain, zone }).endAt > beginsAt;
}
