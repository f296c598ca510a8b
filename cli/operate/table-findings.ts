import { counted } from '../../local/terminal.ts';
import type { RuleSet } from '../../shared/deployments/rule-store.ts';
import { type Cadence, nextRun } from '../../shared/time/cadence.ts';
import { deployAdvice, type Finding, failed, ok } from './finding.ts';
import type { StatusReport } from './status-report.ts';

// What `diagnose` finds in the table of a stage.

/** A run may start and end this much later than scheduled. */
const LATE_MS = 30 * 60_000;

export function tableFinding({ unreadable, unreadableAlerts }: StatusReport): Finding {
  const items = [
    ...unreadable.map((id) => `the rule ${id}`),
    ...unreadableAlerts.map(
      ({ rule, segment }) => `the alert of ${rule}${segment === null ? '' : `, ${segment}`}`,
    ),
  ];
  if (items.length === 0) return ok('every item can be read');
  return failed(
    `this version cannot read ${items.join(', ')}`,
    'Install the version that wrote these items, or deploy this version.',
  );
}

export function rulesFinding({ rules }: StatusReport, { version }: RuleSet, stage: string): Finding {
  if (rules === null) return failed('no rules are deployed', deployAdvice(stage));
  if (rules.version === version) return ok(`${counted(rules.count, 'rule')}, the same as here`);
  return {
    state: 'note',
    found: `${counted(rules.count, 'rule')} deployed, which are not those of this folder`,
    advice: `Compare them: npx deltawatch plan --stage ${stage}`,
  };
}

export function runsFinding(
  { status, cadences }: { status: StatusReport; cadences: Cadence[] },
  now: number,
  stage: string,
): Finding {
  const since = Date.parse(status.rules?.since ?? '');
  // Rules of older deployments have no time, and had theirs.
  const isOverdue = (cadence: Cadence | undefined) =>
    cadence !== undefined && (Number.isNaN(since) || nextRun(cadence, since) + LATE_MS < now);
  const late = status.cadences.filter(
    ({ state }, i) => state === 'late' || (state === 'never ran' && isOverdue(cadences[i])),
  );
  if (late.length > 0)
    return failed(
      late
        .map(
          ({ every, zone, last }) =>
            `every ${every} (${zone}): ${last === null ? 'never ran' : `last run ${last}`}`,
        )
        .join('; '),
      'See the logs of plan-checks and check-rules, and the alarms below.',
    );
  const failing = status.failing.map(({ rule }) => rule);
  if (failing.length > 0)
    return failed(
      `${failing.join(', ')} cannot be evaluated`,
      `npx deltawatch status --stage ${stage} has the reasons.`,
    );
  const waiting = status.cadences.filter(({ state }) => state === 'never ran').length;
  return ok(waiting > 0 ? `on time; ${waiting} not yet due` : 'on time');
}

export function channelsFinding({ stuck, pending }: StatusReport): Finding {
  if (stuck.length === 0) return ok(`no channel refuses messages; ${pending.due} due`);
  return failed(
    stuck
      .map(({ channel, since, reason }) => `${channel} refuses messages since ${since}: ${reason}`)
      .join('; '),
    'Fix the channel or its secret; pending messages are sent within an hour.',
  );
}
