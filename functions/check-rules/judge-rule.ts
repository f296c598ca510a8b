import { type Alert, type AlertKey, newAlert } from '../../shared/alerting/alert.ts';
import { owe } from '../../shared/alerting/debts.ts';
import { baselineWindow, evidenceFor, NO_MEMORY } from '../../shared/alerting/evidence.ts';
import { advanceHealth, type Outcome } from '../../shared/alerting/health.ts';
import type { History } from '../../shared/alerting/history.ts';
import { evaluate } from '../../shared/alerting/judge.ts';
import { advance } from '../../shared/alerting/lifecycle.ts';
import { metricOf } from '../../shared/alerting/metrics.ts';
import type { Routes } from '../../shared/alerting/routes.ts';
import type { Rule } from '../../shared/alerting/rule.ts';
import { meaningOf, seriesOf } from '../../shared/alerting/series.ts';
import type { Window } from '../../shared/alerting/window.ts';

/** What judging a rule at one tick depends on, besides its alerts. */
export interface Judging {
  rule: Rule;
  routes: Routes;
  /** The windows that can be judged, oldest first. */
  windows: Window[];
  history: History;
  newestDataAt: number;
  tick: { id: string; scheduledAt: number };
}

/** The segments to judge: all that had rows in a window or its baseline, and all whose alert is not at rest. */
export function segmentsToJudge({ rule, windows, history }: Judging, alerts: Alert[]): string[] {
  const metric = metricOf(rule.metric);
  const { eventName } = seriesOf(rule);
  const seen = windows
    .flatMap((window) => [window, baselineWindow(rule, window, NO_MEMORY)])
    .flatMap((window) => history.segments(window, eventName, metric));
  const open = alerts.filter(({ state }) => state !== 'normal').flatMap(({ segment }) => segment ?? []);
  return [...new Set([...seen, ...open])].sort();
}

/**
 * The alert of one series after all windows, with the messages it now owes. Windows that it has judged already
 * change nothing, so that a run may be repeated from any point.
 */
export function judgeSeries(stored: Alert | undefined, key: AlertKey, judging: Judging): Alert {
  const { rule, routes, windows, history, newestDataAt, tick } = judging;
  const series = seriesKeyOf(rule, key.segment);
  let alert = freshAlert(stored, key, judging);
  for (const window of windows) {
    const evidence = evidenceFor(rule, window, series, { history, memory: alert, newestDataAt });
    // Whether it is folded away or was never asked for: nothing is known of this segment's window.
    if (!evidence) continue;
    const evaluation = evaluate(rule, evidence);
    const firedWindowEndAt = alert.fired?.windowEndAt ?? null;
    const step = advance(alert, evaluation, rule);
    const { transition, reason } = step;
    alert = transition
      ? owe(step.alert, rule, routes, {
          transition,
          reason,
          windowEndAt: window.endAt,
          evaluation,
          firedWindowEndAt,
          tick,
        })
      : step.alert;
  }
  return alert;
}

/** The rule's own alert after this tick: how far it is judged, and how well it can be. */
export function judgeHealth(stored: Alert | undefined, outcome: Outcome, judging: Judging): Alert {
  const { rule, routes, windows, tick } = judging;
  const alert = freshAlert(stored, { ruleId: rule.id, segment: null }, judging);
  const judgedThroughAt = Math.max(alert.judgedThroughAt, windows.at(-1)?.endAt ?? 0);
  const step = advanceHealth({ ...alert, judgedThroughAt }, outcome, tick.scheduledAt);
  const { transition, reason } = step;
  if (!transition) return step.alert;
  const occasion = {
    transition,
    reason,
    windowEndAt: tick.scheduledAt,
    evaluation: null,
    firedWindowEndAt: null,
    tick,
  };
  return owe(step.alert, rule, routes, occasion);
}

/**
 * The stored alert; a new one where there is none or where the rule has come to mean something else. That one still
 * knows the incidents, which are no measure for the changed rule either, and owes word that an alert was cut short.
 */
function freshAlert(stored: Alert | undefined, key: AlertKey, judging: Judging): Alert {
  const { rule, routes, windows, tick } = judging;
  const hash = meaningOf(rule);
  if (stored?.ruleHash === hash) return stored;
  const fresh = newAlert(key, hash, windows[0]?.startAt ?? tick.scheduledAt);
  if (!stored) return fresh;
  const { owed, owedAt, leasedUntilAt, announced, incidents, revision } = stored;
  const kept = { ...fresh, owed, owedAt, leasedUntilAt, announced, incidents, revision };
  if (!stored.fired) return kept;
  const reason = 'the rule was changed while this was firing, and is judged afresh from now on';
  const about = { transition: 'restarted' as const, reason, windowEndAt: tick.scheduledAt, evaluation: null };
  return owe(kept, rule, routes, { ...about, firedWindowEndAt: stored.fired.windowEndAt, tick });
}

function seriesKeyOf(rule: Rule, segment: string | null) {
  const { eventName } = seriesOf(rule);
  return { ...(eventName !== undefined && { eventName }), ...(segment !== null && { segment }) };
}
