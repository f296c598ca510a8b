import { Command } from 'commander';
import { bad, good, heading, bySeverity as inSeverity } from '../../local/colour.ts';
import type { Place } from '../../local/installation.ts';
import { spanText } from '../../shared/messages/figure-text.ts';
import { SEVERITIES } from '../../shared/rules/rule-schema.ts';
import { type Clock, systemClock } from '../../shared/runtime/clock.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { counted } from '../../shared/text/counted.ts';
import { ofInstallation, withInstallation } from '../options/installation.ts';
import { examples } from '../terminal/arguments.ts';
import { minuteText } from '../terminal/minute-text.ts';
import { tableText } from '../terminal/table.ts';
import { safeLines } from '../terminal/wrapping.ts';
import { type AlertReport, alertTable } from './alerts.ts';
import { aboutText } from './silencing.ts';

import { type StatusReport, statusReport } from './status-report.ts';
/**
 * `deltawatch status`: deployed rules, open alerts, and the health of Deltawatch. `--json` prints a
 * `StatusReport`.
 */
export function statusCommand(clock: Clock = systemClock): Command {
  return ofInstallation(
    new Command('status').description('Show the deployed rules, open alerts and the health of Deltawatch'),
  )
    .option('--json', 'Print one JSON document')
    .addHelpText(
      'after',
      examples(
        ['status', 'On this machine'],
        ['status --table deltawatch-production-state-TableABC --region eu-central-1', 'Of a stage in AWS'],
      ),
    )
    .action(async ({ json, ...place }: Place & { json?: true }) => {
      const now = clock.now();
      const status = await withInstallation(place, clock, (each) => statusReport(each, now));
      console.log(json ? JSON.stringify(status) : statusText(status));
    });
}

/** Listed alerts and rules; other commands list all. */
const NAMED = 10;

/** The status for a terminal of 80 columns, most urgent first. */
export function statusText(status: StatusReport): string {
  if (status.rules === null) return 'No rules are deployed. Deploy some with "deltawatch apply".';
  const parts = [
    headline(status),
    ...(status.isRunning
      ? []
      : ['Deltawatch is not running: it evaluates no rule and sends no message. Start it: npm start']),
    ...(status.alerts.length > 0 ? [alertsPart(status.alerts)] : []),
    ...troubles(status),
    ...unmatchedPart(status),
    `${runsTable(status)}\n\n${appsTable(status)}`,
    ...holds(status),
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

function alertsPart(alerts: AlertReport[]): string {
  const more = alerts.length - NAMED;
  const rest = more > 0 ? `\nand ${more} more: deltawatch alerts` : '';
  return `${alertTable(alerts.slice(0, NAMED))}${rest}`;
}

/** What prevents evaluation or notifications. */
function troubles({ stuck, failing, unreadable, unreadableAlerts }: StatusReport): string[] {
  const channels = stuck.map(({ channel, since, reason, pending }) =>
    safeLines(
      `  ${channel} since ${minuteText(Date.parse(since))}: ${reason}; ${counted(pending, 'message')} pending`,
    ).join('\n'),
  );
  const rules = failing
    .slice(0, NAMED)
    .map(({ rule, ails, since, why }) =>
      safeLines(`  ${rule}: ${ails} since ${minuteText(Date.parse(since))}: ${why}`).join('\n'),
    );
  const more = failing.length > NAMED ? [`  and ${failing.length - NAMED} more`] : [];
  const alerts = unreadableAlerts.map(({ rule, segment }) =>
    segment === null ? rule : `${rule} [${segment}]`,
  );
  return [
    ...(channels.length > 0 ? [[heading('Failing channels'), ...channels].join('\n')] : []),
    ...(rules.length > 0 ? [[heading('Rules that cannot be evaluated'), ...rules, ...more].join('\n')] : []),
    ...(unreadable.length > 0
      ? [[heading('Rules that cannot be read, and are not evaluated'), ...unreadLines(unreadable)].join('\n')]
      : []),
    ...(alerts.length > 0
      ? [[heading('Alerts that cannot be read, and may be firing'), ...unreadLines(alerts)].join('\n')]
      : []),
  ];
}

function unreadLines(ids: string[]): string[] {
  const more = ids.length > NAMED ? [`  and ${ids.length - NAMED} more`] : [];
  return [...ids.slice(0, NAMED).flatMap((id) => safeLines(`  ${id}`)), ...more];
}

/** Existing names are not stored, so another command queries them. */
function unmatchedPart({ unmatched }: StatusReport): string[] {
  if (unmatched.length === 0) return [];
  const rules = unmatched
    .slice(0, NAMED)
    .flatMap(({ rule, since }) => safeLines(`  ${rule}: no data since ${minuteText(Date.parse(since))}`));
  const more = unmatched.length > NAMED ? [`  and ${unmatched.length - NAMED} more`] : [];
  const next = '  find misspelled names: npx deltawatch check --live';
  return [[heading('Rules without data'), ...rules, ...more, next].join('\n')];
}

function runsTable({ cadences }: StatusReport): string {
  return tableText(
    [
      { title: 'SCHEDULE', width: 34 },
      { title: 'RULES', align: 'right' },
      { title: 'STATE' },
      { title: 'LAST (UTC)' },
      { title: 'NEXT (UTC)' },
    ],
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
    [
      { title: 'APP', width: 20 },
      { title: 'DATA' },
      { title: 'CALLS THIS HOUR', align: 'right' },
      { title: 'RULES', align: 'right' },
    ],
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

/** Active silences. */
function holds({ silences }: StatusReport): string[] {
  const silenced = silences.map(({ match, until, by, reason }) =>
    [
      `  ${aboutText(match)}`,
      ...safeLines(`    until ${minuteText(Date.parse(until))}, by ${by}: ${reason}`),
    ].join('\n'),
  );
  return silenced.length > 0 ? [[heading('Silences'), ...silenced].join('\n')] : [];
}

/** "03-01 06:00". */
function shortMinute(iso: string): string {
  return minuteText(Date.parse(iso)).slice(5, 16);
}
