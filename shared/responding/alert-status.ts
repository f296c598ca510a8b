import { ALERT_STATES, type Alert, type AlertKey, type Health, isOpen } from '../alerts/alert.ts';
import type { AlertStore, UnreadableAlert } from '../alerts/alert-store.ts';
import { appOf } from '../alerts/app-alert.ts';
import { type OpenAlert, sizeOf } from '../alerts/open-alert.ts';
import type { RuleSet, RuleStore, Wanted } from '../deployments/rule-store.ts';
import type { Reason } from '../evaluation/reason.ts';
import { hasSegments, type Rule } from '../rules/rule.ts';
import { SEVERITIES } from '../rules/rule-schema.ts';
import { matchedOf, matches } from '../silences/matching.ts';
import { holdsNow, type Silence, type SilenceStore } from '../silences/silence.ts';

/** The deployed rules and the active silences. */
export interface Deployed {
  /** `undefined` before the first deployment. */
  ruleSet: RuleSet | undefined;
  rules: Rule[];
  byId: Map<string, Rule>;
  silences: Silence[];
}

/** The deployed rules with all alerts that are not at rest. */
export interface Status extends Deployed {
  open: OpenAlert[];
  /** Alerts whose stored items cannot be read. They may be open. */
  unread: UnreadableAlert[];
}

/** An alert with its rule. The alert of an app has no rule. */
export interface Watched<Whole = Alert> {
  alert: Whole;
  rule: Rule | undefined;
}

/** The summary of an alert, for lists, with its rule. */
export type Listed = Watched<OpenAlert>;

export interface StatusStores {
  rules: RuleStore;
  alerts: AlertStore;
  silences: SilenceStore;
}

export async function loadDeployed(
  { rules: ruleStore, silences: silenceStore }: Pick<StatusStores, 'rules' | 'silences'>,
  now: number,
  wanted?: Wanted,
): Promise<Deployed> {
  const [ruleSet, silences] = await Promise.all([ruleStore.loadCurrent(wanted), silenceStore.loadAll()]);
  const rules = ruleSet?.rules ?? [];
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const holding = silences.filter((silence) => holdsNow(silence, now));
  return { ruleSet, rules, byId, silences: holding };
}

export async function loadStatus(deps: StatusStores, now: number): Promise<Status> {
  const unread: UnreadableAlert[] = [];
  const loading = deps.alerts.loadOpen((alert) => void unread.push(alert));
  const [deployed, open] = await Promise.all([loadDeployed(deps, now), loading]);
  return { ...deployed, open, unread };
}

/** Loads the complete alerts of a list, in its order. Omits alerts that no longer exist. */
export async function loadListed(list: Listed[], alerts: Pick<AlertStore, 'load'>): Promise<Watched[]> {
  const keyOf = ({ ruleId, segment }: AlertKey) => JSON.stringify([ruleId, segment]);
  const loaded = await alerts.load(list.map(({ alert }) => alert));
  const byKey = new Map(loaded.map((alert) => [keyOf(alert), alert]));
  return list.flatMap(({ alert, rule }) => {
    const whole = byKey.get(keyOf(alert));
    return whole ? [{ alert: whole, rule }] : [];
  });
}

/**
 * The firing and pending alerts, most severe first, with the alerts of apps. Omits alerts of removed rules, and the alert
 * of the whole rule if the rule has segments.
 */
export function watchedIn({ open, byId }: Pick<Status, 'open' | 'byId'>): Listed[] {
  return open
    .flatMap((alert): Listed[] => {
      const rule = byId.get(alert.ruleId);
      const isWatched = rule ? hasSegments(rule) === (alert.segment !== null) : appOf(alert) !== undefined;
      return isWatched ? [{ alert, rule }] : [];
    })
    .toSorted(byWeight);
}

/** The open alerts, most severe first. */
export const openIn = (status: Pick<Status, 'open' | 'byId'>): Listed[] =>
  watchedIn(status).filter(isOpenOrFlapping);

/** The open and pending alerts, most severe first. */
export const listedIn = (status: Pick<Status, 'open' | 'byId'>): Listed[] =>
  watchedIn(status).filter(({ alert }) => isOpenOrFlapping({ alert }) || alert.state === 'pending');

/** Sorts by state, then by severity of the rule, then by size of the change. */
function byWeight(a: Listed, b: Listed): number {
  const severity = ({ rule }: Listed) => SEVERITIES.indexOf(rule?.severity ?? 'critical');
  return byState(a.alert, b.alert) || severity(b) - severity(a) || b.alert.size - a.alert.size;
}

export function isOpenOrFlapping({ alert }: { alert: Pick<Alert, 'state' | 'flappingSinceAt'> }): boolean {
  const { state, flappingSinceAt } = alert;
  return isOpen(state) || flappingSinceAt !== null;
}

/** A rule that cannot be evaluated, with its health. `since` is in epoch milliseconds. */
export interface FailingRule {
  alert: OpenAlert;
  rule: Rule;
  ails: Exclude<Health['kind'], 'ok'> | 'no-data';
  since: number;
  why: Reason;
}

/** The ids of deployed rules whose stored items cannot be read. */
export function unreadIn({ ruleSet }: Pick<Deployed, 'ruleSet'>): string[] {
  return ruleSet?.unreadable ?? [];
}

/** The number of alerts and rules that may be worse than they look: they cannot be evaluated or read. */
export const unknownIn = (status: Status): number =>
  status.unread.length + unreadIn(status).length + failingRulesIn(status).length;

/** The rules that cannot be evaluated, oldest failure first. */
export function failingRulesIn({ open, byId }: Pick<Status, 'open' | 'byId'>): FailingRule[] {
  return open
    .flatMap((alert): FailingRule[] => {
      const rule = byId.get(alert.ruleId);
      if (!rule || alert.segment !== null) return [];
      const { health, noData } = alert;
      if (health.kind !== 'ok')
        return [{ alert, rule, ails: health.kind, since: health.since, why: health.reason }];
      if (!noData?.notified) return [];
      return [{ alert, rule, ails: 'no-data', since: noData.sinceAt, why: { code: 'no-data', ...noData } }];
    })
    .toSorted((a, b) => a.since - b.since);
}

export function stoppedApps({ open }: Pick<Status, 'open'>): string[] {
  return open.filter(({ state }) => state === 'firing').flatMap((alert) => appOf(alert) ?? []);
}

/** Sorts by state, then by size of the change. A rise from zero counts as the largest, after a stopped app. */
export function bySeverity(a: Alert, b: Alert): number {
  return byState(a, b) || sizeOf(b) - sizeOf(a);
}

type InState = Pick<Alert, 'state'>;

function byState(a: InState, b: InState): number {
  return ALERT_STATES.indexOf(a.state) - ALERT_STATES.indexOf(b.state);
}

/** Why no notifications of an alert are sent; `until` is `null` for as long as it fires. `silences`: the active ones. */
export interface Quiet {
  because: 'silence' | 'snooze';
  by: string;
  until: number | null;
  reason: string;
}

export function quietOf(watched: Watched, silences: Silence[], now: number): Quiet | null {
  const silence = silences.find(({ match }) => matches(match, matchedOf(watched)));
  if (silence) return { because: 'silence', by: silence.by, until: silence.untilAt, reason: silence.reason };
  const { snoozed } = watched.alert;
  if (!snoozed || (snoozed.untilAt !== null && snoozed.untilAt <= now)) return null;
  return { because: 'snooze', by: snoozed.by, until: snoozed.untilAt, reason: snoozed.reason };
}
