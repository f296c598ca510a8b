import type { Alert } from '../shared/alerting/alerts/alert.ts';
import type { AlertStore } from '../shared/alerting/alerts/alert-store.ts';
import { appAlertKey, appOf } from '../shared/alerting/alerts/app-alert.ts';
import { sinceOf } from '../shared/alerting/alerts/open-since.ts';
import { matchedOf, matches, type Silence } from '../shared/alerting/notifications/silences.ts';
import {
  isWrong,
  loadListed,
  type Standing,
  type Watched,
  watchedIn,
} from '../shared/responding/alert-status.ts';

/** Rules that are read beside one another. */
const AT_ONCE = 16;

/** One alert, as `deltawatch alerts --json` prints it. Times are ISO 8601 in UTC. */
export interface AlertReport {
  /** The rule's id; of an app that sends nothing, `app:` and the app. */
  rule: string;
  segment: string | null;
  title: string;
  app: string | null;
  owner: string | null;
  severity: string;
  state: 'normal' | 'pending' | 'firing' | 'recovering' | 'flapping' | 'stopped';
  /** `null` before anything was judged. */
  since: string | null;
  /** Of the last window that was judged. */
  current: number | null;
  baseline: number | null;
  /** Percent, rounded to two decimals; `null` for a rise from zero and where there are no figures. */
  changePct: number | null;
  /** Who has acknowledged it. */
  taken: { by: string; at: string; reason: string } | null;
  /** Why nothing of it is told at the moment; `until` is `null` for as long as it fires. */
  quiet: { because: 'silence' | 'snooze'; by: string; until: string | null; reason: string } | null;
}

/** What fires or begins to, the gravest first; with `rule`, of that rule alone. */
export async function openAlerts(
  standing: Standing,
  alerts: AlertStore,
  { rule, now }: { rule?: string | undefined; now: number },
): Promise<AlertReport[]> {
  const listed = watchedIn(standing).filter(
    ({ alert }) =>
      (isWrong({ alert }) || alert.state === 'pending') && (rule === undefined || alert.ruleId === rule),
  );
  const watched = await loadListed(listed, alerts);
  return watched.map((each) => alertReport(each, standing.silences, now));
}

/** Every alert that is kept of the rules in force and their apps, whether anything is wrong or not, rule by rule. */
export async function allAlerts(
  { rules, silences }: Standing,
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
    changePct: change === null ? null : Math.round(change * 10_000) / 100,
    taken: acknowledged && { ...acknowledged, at: iso(acknowledged.at) },
    quiet: quietOf(watched, silences, now),
  };
}

/** What is kept of an app before its first run is said of no time. */
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

function iso(at: number): string {
  return new Date(at).toISOString();
}
