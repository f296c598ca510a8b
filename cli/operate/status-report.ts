import type { Installation } from '../../local/installation.ts';
import { unmatchedSince } from '../../shared/alerts/matches-nothing.ts';
import { reasonText } from '../../shared/messages/reason-text.ts';
import type { Delivery } from '../../shared/notifications/delivery-log.ts';
import { failingRulesIn, loadStatus, type Status, unreadIn } from '../../shared/responding/alert-status.ts';
import { pendingIn } from '../../shared/responding/pending-messages.ts';
import { loadPulse } from '../../shared/responding/pulse.ts';
import { iso } from '../../shared/time/iso.ts';
import { openAlerts, subjectOf } from './alerts.ts';

/** Recent deliveries searched for the last one of each channel. */
const LAST_DELIVERIES = 100;

/** `name`: of the channel or rule, or an alert as `rule [segment]`. `unmatched` has no data since the rule was deployed. */
export interface Trouble {
  kind: 'refusing' | 'failing' | 'unreadable' | 'unreadable alert' | 'unmatched';
  name: string;
  since: string | null;
  why: string | null;
}

/**
 * The output of `deltawatch status --json`. Times are ISO 8601 in UTC. `rules` is `null` before the first deployment.
 * `pending` are the messages that are due, held (muted, silenced or snoozed), or reminders for later.
 */
export type StatusReport = Awaited<ReturnType<typeof statusReport>>;

export async function statusReport(
  { stores, isRunning }: Pick<Installation, 'stores' | 'isRunning'>,
  now: number,
) {
  const deployed = await stores.rules.findCurrent();
  const status = await loadStatus(stores, now);
  const [pulse, alerts, withPending, deliveries] = await Promise.all([
    loadPulse(status, stores.runs, now, deployed?.sinceAt ?? 0),
    openAlerts(status, stores.alerts, now),
    stores.alerts.loadPending(Number.MAX_SAFE_INTEGER),
    stores.deliveries.loadLast(LAST_DELIVERIES),
  ]);
  const pending = pendingIn(withPending, status, now);
  const count = (waits: (typeof pending)[number]['waits']) =>
    pending.filter((each) => each.waits === waits).length;
  return {
    at: iso(now),
    isRunning,
    rules: deployed
      ? {
          ...{ version: deployed.version, since: iso(deployed.sinceAt), by: deployed.by },
          count: status.rules.length,
        }
      : null,
    cadences: pulse.cadences.map(({ lastAt, nextAt, ...each }) => ({
      ...each,
      ...{ last: iso(lastAt), next: iso(nextAt) },
    })),
    apps: pulse.apps.map(({ app, newestAt, stoppedSinceAt, calls, rules }) => ({
      ...{ app, newest: iso(newestAt), stoppedSince: iso(stoppedSinceAt), callsThisHour: calls, rules },
    })),
    alerts,
    troubles: troublesIn(status, deliveries, now),
    pending: { due: count('due'), held: count('held'), later: count('later') },
  };
}

function troublesIn(status: Status, deliveries: Delivery[], now: number): Trouble[] {
  const { open, byId, unread } = status;
  const unmatched = open.flatMap(({ ruleId, segment, unmatched }) => {
    const since = unmatchedSince(unmatched, now);
    return since === undefined || segment !== null || !byId.has(ruleId) ? [] : [{ ruleId, since }];
  });
  return [
    ...refusingIn(deliveries),
    ...failingRulesIn(status).map(({ rule, ails, since, why }): Trouble => {
      const text = reasonText(why, rule);
      return { kind: 'failing', name: rule.id, since: iso(since), why: `${ails}: ${text}` };
    }),
    ...unreadIn(status).map((name): Trouble => ({ kind: 'unreadable', name, since: null, why: null })),
    ...unread.map(({ ruleId: rule, segment }): Trouble => {
      return { kind: 'unreadable alert', name: subjectOf({ rule, segment }), since: null, why: null };
    }),
    ...unmatched
      .toSorted((a, b) => a.since - b.since || (a.ruleId < b.ruleId ? -1 : 1))
      .map(({ ruleId, since }): Trouble => {
        return { kind: 'unmatched', name: ruleId, since: iso(since), why: null };
      }),
  ];
}

/** Channels that refused their last message: since when, and why. */
function refusingIn(deliveries: Delivery[]): Trouble[] {
  return [...Map.groupBy(deliveries, ({ channel }) => channel)].flatMap(([name, newestFirst]): Trouble[] => {
    const outcome = newestFirst[0]?.outcome;
    if (outcome?.kind !== 'failed') return [];
    const through = newestFirst.findIndex((each) => each.outcome.kind !== 'failed');
    const first = newestFirst.slice(0, through < 0 ? undefined : through).at(-1);
    return [{ kind: 'refusing', name, since: iso(first?.at ?? null), why: outcome.reason }];
  });
}
