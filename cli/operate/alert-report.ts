import type { Alert } from '../../shared/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerts/alert-store.ts';
import { appAlertKey, appOf } from '../../shared/alerts/app-alert.ts';
import { sinceOf } from '../../shared/alerts/open-alert.ts';
import {
  isOpenOrFlapping,
  loadListed,
  loadStatus,
  type Status,
  type Watched,
  watchedIn,
} from '../../shared/responding/alert-status.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import { matchedOf, matches } from '../../shared/silences/matching.ts';
import type { Silence } from '../../shared/silences/silence.ts';
import type { Stores } from '../../shared/store/stores.ts';
import { iso } from '../../shared/time/iso.ts';

/** Rules read concurrently. */
const AT_ONCE = 16;

/** An alert in `deltawatch alerts --json`. Times are ISO 8601 in UTC. */
export interface AlertReport {
  /** The rule's id; for an app that sends no data, `app:` and the app. */
  rule: string;
  segment: string | null;
  title: string;
  app: string | null;
  owner: string | null;
  severity: string;
  state: 'normal' | 'pending' | 'firing' | 'recovering' | 'flapping' | 'stopped';
  /** `null` before the first evaluation. */
  since: string | null;
  /** Of the last evaluated window. */
  current: number | null;
  baseline: number | null;
  /** Whether `current` and `baseline` are shares: 0.15 is 15%. */
  isShare: boolean;
  /** Percent with two decimals; `null` for a rise from zero, and without figures. */
  changePct: number | null;
  /** Who acknowledged it. */
  taken: { by: string; at: string; reason: string } | null;
  /** Why no notifications are sent; `until` is `null` for as long as it fires. */
  quiet: { because: 'silence' | 'snooze'; by: string; until: string | null; reason: string } | null;
}

/** The open alerts, or all stored ones, of one deployed rule or all. */
export async function listAlerts(
  stores: Stores,
  { rule, all }: { rule: string | undefined; all: boolean },
  now: number,
): Promise<AlertReport[]> {
  const status = await loadStatus(stores, now);
  return (all ? allAlerts : openAlerts)(status, stores.alerts, { rule, now });
}

/** Open alerts, most severe first; with `rule`, only those of that rule. */
export async function openAlerts(
  status: Status,
  alerts: AlertStore,
  { rule, now }: { rule?: string | undefined; now: number },
): Promise<AlertReport[]> {
  const listed = watchedIn(status).filter(
    ({ alert }) =>
      (isOpenOrFlapping({ alert }) || alert.state === 'pending') &&
      (rule === undefined || alert.ruleId === rule),
  );
  const watched = await loadListed(listed, alerts);
  return watched.map((each) => alertReport(each, status.silences, now));
}

/** Every stored alert of the deployed rules and their apps, by rule. */
async function allAlerts(
  { rules, silences }: Status,
  alerts: AlertStore,
  { rule: only, now }: { rule?: string | undefined; now: number },
): Promise<AlertReport[]> {
  const wanted = rules.filter(({ id }) => only === undefined || id === only);
  const found: Watched[] = [];
  for (let i = 0; i < wanted.length; i += AT_ONCE) {
    const some = wanted.slice(i, i + AT_ONCE);
    const each = await Promise.all(some.map(({ id }) => alerts.loadOfRule(id)));
    found.push(...each.flatMap((own, n) => own.map((alert) => ({ alert, rule: some[n] }))));
  }
  const apps = only === undefined ? [...new Set(rules.map(({ app }) => app))] : [];
  const ofApps = await alerts.load(apps.map(appAlertKey));
  const all = [...ofApps.map((alert) => ({ alert, rule: undefined })), ...found];
  return all.map((each) => alertReport(each, silences, now));
}

function alertReport(watched: Watched, silences: Silence[], now: number): AlertReport {
  const { alert, rule } = watched;
  const { last, acknowledged } = alert;
  const app = appOf(alert);
  const change = last?.change ?? null;
  return {
    rule: alert.ruleId,
    segment: alert.segment,
    title: rule?.title ?? `No data from ${app ?? alert.ruleId}`,
    app: app ?? rule?.app ?? null,
    owner: rule?.owner ?? null,
    severity: rule?.severity ?? 'critical',
    state: stateOf(watched),
    since: sinceText(alert),
    current: last?.current.value ?? null,
    baseline: last?.baseline.value ?? null,
    isShare: rule !== undefined && !rule.members && metricOf(rule).kind === 'ratio',
    changePct: change === null ? null : Math.round(change * 10_000) / 100,
    taken: acknowledged && { ...acknowledged, at: iso(acknowledged.at) },
    quiet: quietOf(watched, silences, now),
  };
}

/** An app has no state before its first run, so there is no time to report. */
function sinceText(alert: Alert): string | null {
  const since = alert.flappingSinceAt ?? sinceOf(alert);
  return since > 0 ? iso(since) : null;
}

function stateOf({ alert }: Watched): AlertReport['state'] {
  if (alert.flappingSinceAt !== null) return 'flapping';
  return appOf(alert) !== undefined && alert.state === 'firing' ? 'stopped' : alert.state;
}

function quietOf(watched: Watched, silences: Silence[], now: number): AlertReport['quiet'] {
  const silence = silences.find(({ match }) => matches(match, matchedOf(watched)));
  if (silence) {
    const { by, untilAt, reason } = silence;
    return { because: 'silence', by, until: iso(untilAt), reason };
  }
  const { snoozed } = watched.alert;
  if (!snoozed || (snoozed.untilAt !== null && snoozed.untilAt <= now)) return null;
  const until = snoozed.untilAt === null ? null : iso(snoozed.untilAt);
  return { because: 'snooze', by: snoozed.by, until, reason: snoozed.reason };
}
