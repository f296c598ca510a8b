import { bySeverity } from '../../local/colour.ts';
import type { AlertState } from '../../shared/alerts/alert.ts';
import type { AlertStore } from '../../shared/alerts/alert-store.ts';
import { appOf } from '../../shared/alerts/app-alert.ts';
import { sinceOf } from '../../shared/alerts/open-alert.ts';
import { comparableOf } from '../../shared/evaluation/evaluation.ts';
import { measureText, percentText } from '../../shared/messages/figure-text.ts';
import {
  listedIn,
  loadListed,
  loadStatus,
  quietOf,
  type Status,
  type Watched,
} from '../../shared/responding/alert-status.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import type { Silence } from '../../shared/silences/silence.ts';
import { iso } from '../../shared/time/iso.ts';
import {
  type InstallationOptions,
  ofInstallation,
  requireRule,
  withInstallation,
} from '../options/installation.ts';
import { Command } from '../terminal/command.ts';
import { tableText } from '../terminal/table.ts';
import { minuteText } from '../terminal/times.ts';

interface Options extends InstallationOptions {
  rule?: string;
  json?: true;
}

/** `deltawatch alerts`: what fires, since when, and who has it; `--json` prints a list of `AlertReport`. */
export function alertsCommand(clock: Clock = systemClock): Command {
  return ofInstallation(new Command('alerts').description('List open alerts, most severe first'))
    .option('--rule <id>', 'Only alerts of this rule')
    .option('--json', 'Print one JSON document')
    .example('alerts', 'Open alerts on this machine')
    .action(async ({ rule, json, ...place }: Options) => {
      const all = await withInstallation(place, clock, async (installation) => {
        if (rule !== undefined) await requireRule(rule, installation);
        const now = clock.now();
        return openAlerts(await loadStatus(installation.stores, now), installation.stores.alerts, now);
      });
      const alerts = all.filter((each) => rule === undefined || each.rule === rule);
      if (json) console.log(JSON.stringify(alerts));
      else console.log(alerts.length > 0 ? alertTable(alerts) : 'No open alerts.');
    });
}

/** Open and pending alerts, most severe first. */
export async function openAlerts(status: Status, alerts: AlertStore, now: number): Promise<AlertReport[]> {
  const watched = await loadListed(listedIn(status), alerts);
  return watched.map((each) => alertReport(each, status.silences, now));
}

/**
 * An alert in `deltawatch alerts --json`. Times are ISO 8601 in UTC. `current` and `baseline`, scaled to the same hours, are
 * of the last window; `changePct` is `null` for a rise from zero. `quiet.until` is `null` for as long as it fires.
 */
export type AlertReport = ReturnType<typeof alertReport>;

function alertReport(watched: Watched, silences: Silence[], now: number) {
  const { alert, rule } = watched;
  const { last, acknowledged } = alert;
  const app = appOf(alert);
  const change = last?.change ?? null;
  const quiet = quietOf(watched, silences, now);
  return {
    ...{ rule: alert.ruleId, segment: alert.segment },
    title: rule?.title ?? `No data from ${app ?? alert.ruleId}`,
    app: app ?? rule?.app ?? null,
    owner: rule?.owner ?? null,
    severity: rule?.severity ?? 'critical',
    state: stateOf(watched),
    since: iso(alert.flappingSinceAt ?? sinceOf(alert)),
    current: last?.current.value ?? null,
    baseline: last && comparableOf(last),
    isShare: rule !== undefined && !rule.members && metricOf(rule).kind === 'ratio',
    changePct: change === null ? null : Math.round(change * 10_000) / 100,
    taken: acknowledged && { ...acknowledged, at: iso(acknowledged.at) },
    quiet: quiet && { ...quiet, until: iso(quiet.until) },
  };
}

function stateOf({ alert }: Watched): AlertState | 'flapping' | 'stopped' {
  if (alert.flappingSinceAt !== null) return 'flapping';
  return appOf(alert) !== undefined && alert.state === 'firing' ? 'stopped' : alert.state;
}

export function alertTable(alerts: AlertReport[]): string {
  return tableText(
    {
      ALERT: { width: 25 },
      STATE: { width: 10 },
      'LAST WINDOW': { width: 17, align: 'right' },
      'SINCE (UTC)': { width: 11 },
      'ACK BY': { width: 9 },
    },
    alerts.map((alert) => [
      subjectOf(alert),
      bySeverity(alert.severity, `${alert.state} ${alert.severity}`),
      movementOf(alert),
      minuteText(Date.parse(alert.since)).slice(5, 16),
      acknowledgementOf(alert),
    ]),
  );
}

/** `rule [segment]`, as the other commands take it. */
export function subjectOf({ rule, segment }: Pick<AlertReport, 'rule' | 'segment'>): string {
  return segment === null ? rule : `${rule} [${printable(segment)}]`;
}

function movementOf({ current, baseline, changePct, isShare }: AlertReport): string {
  if (current === null) return '-';
  const percent = changePct === null ? '' : ` ${percentText(changePct / 100).replace(' ', '')}`;
  return `${baseline === null ? '' : `${measureText(baseline, isShare)} to `}${measureText(current, isShare)}${percent}`;
}

function acknowledgementOf({ taken, quiet, state }: AlertReport): string {
  if (state === 'pending') return '-';
  const who = taken ? printable(taken.by) : 'no one';
  return quiet ? `${who}, ${quiet.because === 'silence' ? 'silenced' : 'snoozed'}` : who;
}
