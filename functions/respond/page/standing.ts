import type { Alert, AlertState, Health } from '../../../shared/alerting/alert.ts';
import { appOf } from '../../../shared/alerting/app-alert.ts';
import type { AlertStore, RuleSet, RuleStore, SilenceStore } from '../../../shared/alerting/ports.ts';
import { hasSegments, type Rule, SEVERITIES } from '../../../shared/alerting/rule.ts';
import type { Silence } from '../../../shared/alerting/silences.ts';

/** What is in force, and every alert that is not at rest: as much as most parts of the page need. */
export interface Standing {
  /** `undefined` before rules were deployed. */
  ruleSet: RuleSet | undefined;
  rules: Rule[];
  byId: Map<string, Rule>;
  open: Alert[];
  /** Those that hold at the moment. */
  silences: Silence[];
}

/** An alert with its rule; an app's own has none. */
export interface Watched {
  alert: Alert;
  rule: Rule | undefined;
}

export interface StandingDeps {
  rules: RuleStore;
  alerts: AlertStore;
  silences: SilenceStore;
}

export async function loadStanding(
  { rules: ruleStore, alerts, silences: silenceStore }: StandingDeps,
  now: number,
): Promise<Standing> {
  const [ruleSet, open, silences] = await Promise.all([
    ruleStore.loadCurrent(),
    alerts.loadOpen(),
    silenceStore.loadAll(),
  ]);
  const rules = ruleSet?.rules ?? [];
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const inForce = silences.filter(({ fromAt, untilAt }) => fromAt <= now && now < untilAt);
  return { ruleSet, rules, byId, open, silences: inForce };
}

/**
 * The alerts that fire or begin to, the gravest first. Those of apps are among them, but not what is left of rules that
 * were removed, nor the alert of a rule as a whole where its segments are what is watched.
 */
export function watchedIn({ open, byId }: Pick<Standing, 'open' | 'byId'>): Watched[] {
  return open
    .flatMap((alert): Watched[] => {
      const rule = byId.get(alert.ruleId);
      const isWatched = rule ? hasSegments(rule) === (alert.segment !== null) : appOf(alert) !== undefined;
      return isWatched ? [{ alert, rule }] : [];
    })
    .toSorted(byWeight);
}

/** The gravest state first, then the gravest rule, then the largest change. */
function byWeight(a: Watched, b: Watched): number {
  const severity = ({ rule }: Watched) => SEVERITIES.indexOf(rule?.severity ?? 'critical');
  return byState(a.alert, b.alert) || severity(b) - severity(a) || bySize(a.alert, b.alert);
}

export function isWrong({ alert }: Pick<Watched, 'alert'>): boolean {
  const { state, flappingSinceAt } = alert;
  return state === 'firing' || state === 'recovering' || flappingSinceAt !== null;
}

/** A rule that cannot be judged: what ails it, since when and why, which is a sentence with ISO times. */
export interface Ailing {
  alert: Alert;
  rule: Rule;
  ails: Exclude<Health['kind'], 'ok'> | 'no-data';
  since: number;
  why: string;
}

/** The rules that cannot be judged, the longest first. */
export function ailingIn({ open, byId }: Pick<Standing, 'open' | 'byId'>): Ailing[] {
  return open
    .flatMap((alert): Ailing[] => {
      const rule = byId.get(alert.ruleId);
      if (!rule || alert.segment !== null) return [];
      const { health, noData } = alert;
      if (health.kind !== 'ok')
        return [{ alert, rule, ails: health.kind, since: health.since, why: health.reason }];
      if (!noData?.told) return [];
      return [{ alert, rule, ails: 'no-data', since: noData.sinceAt, why: noDataText(noData.windows) }];
    })
    .toSorted((a, b) => a.since - b.since);
}

function noDataText(windows: number): string {
  return windows === 1 ? 'one window had no data' : `${windows} windows in a row had no data`;
}

/** Apps whose data are overdue. */
export function stoppedApps({ open }: Pick<Standing, 'open'>): string[] {
  return open.filter(({ state }) => state === 'firing').flatMap((alert) => appOf(alert) ?? []);
}

const STATES: readonly AlertState[] = ['firing', 'recovering', 'pending', 'normal'];

/** The gravest state first, then the largest change; a rise from zero is the largest of all, but for an app's end. */
export function byGravity(a: Alert, b: Alert): number {
  return byState(a, b) || bySize(a, b);
}

function byState(a: Alert, b: Alert): number {
  return STATES.indexOf(a.state) - STATES.indexOf(b.state);
}

function bySize(a: Alert, b: Alert): number {
  return sizeOf(b) - sizeOf(a);
}

function sizeOf(alert: Alert): number {
  if (appOf(alert) !== undefined) return Number.POSITIVE_INFINITY;
  const { last } = alert;
  if (!last || last.difference === null) return -1;
  return last.change === null ? Number.MAX_VALUE : Math.abs(last.change);
}
