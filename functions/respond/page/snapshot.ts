import type { Alert, AlertState, Debt } from '../../../shared/alerting/alert.ts';
import { appAlertKey, appOf } from '../../../shared/alerting/app-alert.ts';
import type { AlertStore, RuleSet, RuleStore } from '../../../shared/alerting/ports.ts';
import { hasSegments, type Rule } from '../../../shared/alerting/rule.ts';
import type { Clock } from '../../../shared/runtime/clock.ts';
import type { Progress } from './progress.ts';

/** Everything that is stored, as it was at one moment. */
export interface Snapshot {
  now: number;
  progress: Progress;
  /** `undefined` before rules were deployed. */
  ruleSet: RuleSet | undefined;
  statuses: RuleStatus[];
  /** Apps whose data are overdue. */
  stopped: string[];
  /** The message that is due first, first. */
  owed: OwedMessage[];
  /** What was sent, the newest first. */
  said: Said[];
}

/** A message that was sent, in one line. */
export interface Said {
  text: string;
  channel: string;
  sentAt: number;
}

export interface RuleStatus {
  rule: Rule;
  /** The alert of the rule as a whole, which keeps its health; `undefined` until the rule was looked at. */
  whole: Alert | undefined;
  /** The alerts that can fire, the gravest first: one for each segment where the rule has segments. */
  series: Alert[];
}

export interface OwedMessage {
  alert: Alert;
  debt: Debt;
  /** `undefined` where the rule was removed since. */
  rule: Rule | undefined;
}

/** An alert with its rule. */
export interface Watched {
  rule: Rule;
  alert: Alert;
}

export interface SnapshotDeps {
  rules: RuleStore;
  alerts: AlertStore;
  said: () => Said[];
  progress: () => Progress;
  clock: Clock;
}

export async function takeSnapshot({
  rules,
  alerts,
  said,
  progress,
  clock,
}: SnapshotDeps): Promise<Snapshot> {
  const [ruleSet, owing] = await Promise.all([
    rules.loadCurrent(),
    alerts.loadOwing(Number.MAX_SAFE_INTEGER),
  ]);
  const deployed = ruleSet?.rules ?? [];
  const statuses = await Promise.all(
    deployed.map(async (rule) => statusOf(rule, await alerts.loadOfRule(rule.id))),
  );
  const apps = [...new Set(deployed.map(({ app }) => app))];
  const ofApps = await alerts.load(apps.map(appAlertKey));
  const stopped = ofApps.filter(({ state }) => state === 'firing').flatMap((alert) => appOf(alert) ?? []);
  const byId = new Map(deployed.map((rule) => [rule.id, rule]));
  const owed = owing
    .flatMap((alert) =>
      Object.values(alert.owed).map((debt) => ({ alert, debt, rule: byId.get(alert.ruleId) })),
    )
    .toSorted((a, b) => a.debt.dueAt - b.debt.dueAt);
  const stored = { ruleSet, statuses, stopped, owed };
  return { now: clock.now(), progress: progress(), ...stored, said: said() };
}

function statusOf(rule: Rule, alerts: Alert[]): RuleStatus {
  const whole = alerts.find(({ segment }) => segment === null);
  const series = hasSegments(rule) ? alerts.filter(({ segment }) => segment !== null) : whole ? [whole] : [];
  return { rule, whole, series: series.toSorted(byGravity) };
}

const STATES: readonly AlertState[] = ['firing', 'recovering', 'pending', 'normal'];

/** The gravest state first, then the largest change; a rise from zero is the largest of all. */
export function byGravity(a: Alert, b: Alert): number {
  return STATES.indexOf(a.state) - STATES.indexOf(b.state) || sizeOf(b) - sizeOf(a);
}

function sizeOf({ last }: Alert): number {
  if (!last || last.difference === null) return -1;
  return last.change === null ? Number.MAX_VALUE : Math.abs(last.change);
}

/** Every alert that can fire, with its rule, the gravest first. */
export function watchedIn(statuses: RuleStatus[]): Watched[] {
  return statuses
    .flatMap(({ rule, series }) => series.map((alert) => ({ rule, alert })))
    .toSorted((a, b) => byGravity(a.alert, b.alert));
}

export function isWrong({ alert }: Watched): boolean {
  const { state, flappingSinceAt } = alert;
  return state === 'firing' || state === 'recovering' || flappingSinceAt !== null;
}
