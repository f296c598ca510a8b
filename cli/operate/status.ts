import { bad, good, heading, bySeverity as inSeverity } from '../../local/colour.ts';
import { spanText } from '../../shared/messages/figure-text.ts';
import { SEVERITIES } from '../../shared/rules/rule-schema.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { counted } from '../../shared/text/counted.ts';
import { type InstallationOptions, ofInstallation, withInstallation } from '../options/installation.ts';
import { Command } from '../terminal/command.ts';
import { RIGHT, tableText } from '../terminal/table.ts';
import { minuteText } from '../terminal/times.ts';
import { safeLines } from '../terminal/wrapping.ts';
import type { AlertReport } from './alerts.ts';
import { type StatusReport, statusReport, type Trouble } from './status-report.ts';
/** `deltawatch status`. `--json` prints a `StatusReport`. */
export function statusCommand(clock: Clock = systemClock): Command {
  return ofInstallation(
    new Command('status').description('Show the deployed rules, open alerts and the health of Deltawatch'),
  )
    .option('--json', 'Print one JSON document')
    .example('status', 'On this machine')
    .example('status --stage production', 'Of a stage in AWS')
    .action(async ({ json, ...place }: InstallationOptions & { json?: true }) => {
      const now = clock.now();
      const status = await withInstallation(place, clock, (each) => statusReport(each, now));
      console.log(json ? JSON.stringify(status) : statusText(status));
    });
}

/** Listed troubles of a kind. */
const NAMED = 10;

/** The status for a terminal of 80 columns, most urgent first. */
export function statusText(status: StatusReport): string {
  if (status.rules === null) return 'No rules are deployed. Deploy some with "deltawatch apply".';
  const parts = [
    headline(status),
    ...(status.isRunning
      ? []
      : [
          'Deltawatch is not running: it evaluates no rule and sends no message.\nStart it: npx deltawatch start',
        ]),
    ...troublesParts(status),
    `${runsTable(status)}\n\n${appsTable(status)}`,
  ];
  return parts.join('\n\n');
}

function headline({ rules, alerts, pending }: StatusReport): string {
  const { count = 0, since = null, by = null, version = '' } = rules ?? {};
  const sinceWhen = since === null ? '' : `, since ${minuteText(Date.parse(since))}`;
  const byWhom = by === null ? '' : `, by ${printable(by)}`;
  const later = pending.later > 0 ? `, ${counted(pending.later, 'reminder')} scheduled` : '';
  const held = pending.held > 0 ? `, ${pending.held} muted, silenced or snoozed` : '';
  return [
    `Rules      ${count} deployed${sinceWhen}${byWhom} (${version})`,
    `Alerts     ${openText(alerts)}`,
    `Messages   ${pending.due} pending${held}${later}`,
  ].join('\n');
}

function openText(alerts: AlertReport[]): string {
  const firing = alerts.filter(({ state }) => state !== 'pending');
  const pending = alerts.length - firing.length;
  const bySeverity = SEVERITIES.toReversed().flatMap((severity) => {
    const count = firing.filter((each) => each.severity === severity).length;
    return count > 0 ? [inSeverity(severity, `${count} ${severity}`)] : [];
  });
  const unacknowledged = firing.filter(({ taken }) => taken === null).length;
  const who =
    unacknowledged > 0
      ? `; ${unacknowledged === firing.length ? 'none' : firing.length - unacknowledged} acknowledged`
      : '; all acknowledged';
  const fires = firing.length === 0 ? 'none open' : `${firing.length} open: ${bySeverity.join(', ')}${who}`;
  return pending > 0 ? `${fires}; ${pending} pending` : fires;
}

const TROUBLES: Record<Trouble['kind'], string> = {
  refusing: 'Channels that refuse messages',
  failing: 'Rules that cannot be evaluated',
  unreadable: 'Rules that cannot be read, and are not evaluated',
  'unreadable alert': 'Alerts that cannot be read, and may be firing',
  // Existing names are not stored, so another command queries them.
  unmatched: 'Rules without data; find misspelled names: npx deltawatch check --live',
};

function troublesParts({ troubles }: StatusReport): string[] {
  return [...Map.groupBy(troubles, ({ kind }) => kind)].map(([kind, each]) => {
    const lines = each.slice(0, NAMED).flatMap(({ name, since, why }) => {
      const when = since === null ? '' : ` since ${minuteText(Date.parse(since))}`;
      return safeLines(`  ${name}${when}${why === null ? '' : `: ${why}`}`);
    });
    const more = each.length > NAMED ? [`  and ${each.length - NAMED} more`] : [];
    return [heading(TROUBLES[kind]), ...lines, ...more].join('\n');
  });
}

function runsTable({ cadences }: StatusReport): string {
  return tableText(
    { SCHEDULE: { width: 34 }, RULES: RIGHT, STATE: {}, 'LAST (UTC)': {}, 'NEXT (UTC)': {} },
    cadences.map(({ every, zone, rules, state, last, next }) => [
      `every ${every} (${zone})`,
      rules,
      stateText(state),
      last === null ? '-' : shortMinute(last),
      shortMinute(next),
    ]),
  );
}

function stateText(state: StatusReport['cadences'][number]['state']): string {
  if (state === 'on time') return good(state);
  return state === 'late' ? bad(state) : state;
}

function appsTable({ apps, at }: StatusReport): string {
  return tableText(
    { APP: { width: 20 }, DATA: {}, 'CALLS THIS HOUR': RIGHT, RULES: RIGHT },
    apps.map(({ app, newest, stoppedSince, callsThisHour, rules }) => [
      printable(app),
      freshness(newest, stoppedSince, Date.parse(at)),
      callsThisHour,
      rules,
    ]),
  );
}

function freshness(newest: string | null, stoppedSince: string | null, now: number): string {
  if (stoppedSince !== null) return `none since ${shortMinute(newest ?? stoppedSince)}`;
  if (newest === null) return 'no run yet';
  return `${spanText(Math.max(0, now - Date.parse(newest)))} old`;
}

/** "03-01 06:00". */
function shortMinute(iso: string): string {
  return minuteText(Date.parse(iso)).slice(5, 16);
}
