import type { Alert, AlertKey } from '../../shared/alerts/alert.ts';
import type { AlertStore, UnreadableAlert } from '../../shared/alerts/alert-store.ts';
import type { Outcome } from '../../shared/alerts/health.ts';
import { withLargest } from '../../shared/alerts/last-windows.ts';
import type { HealthReason } from '../../shared/evaluation/reason.ts';
import { hasSegments } from '../../shared/rules/rule.ts';
import { ConflictError, UnreadableItemError, UpstreamError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Meter } from '../../shared/runtime/metrics.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import type { EvaluatedRule } from './due-rules.ts';
import { evaluateSeries, freshAlert, updateHealth } from './evaluate-rule.ts';
import type { Task } from './evaluate-series.ts';
import type { ExplainFire } from './explain-fires.ts';
import { openSegments, segmentsToEvaluate } from './segments.ts';
import { updateUnmatched } from './unmatched-rules.ts';

/**
 * Saves the alerts of a rule. If the store permanently refuses one or cannot read it, only this rule fails: its health
 * says so, and the next run evaluates it again. Other rules are not affected.
 */
export async function saveDueRule(
  evaluated: EvaluatedRule,
  deps: SavingDeps,
  explainFire: ExplainFire,
): Promise<Alert[]> {
  const { task, dueRule } = evaluated;
  const whole = dueRule.alerts.get(null);
  return failingAlone(whole, task, deps, async () => {
    const saved = await saveAlerts(evaluated, deps.alerts, explainFire);
    if (dueRule.unreadable.length === 0) return saved;
    return [...saved, ...(await saveUnreadable(dueRule.unreadable, whole, task, deps))];
  });
}

export interface SavingDeps {
  alerts: AlertStore;
  logger: Logger;
  meter: Meter;
}

/** The saved alerts. If the store permanently refuses one, the alert of the rule, with the reason in its health. */
export async function failingAlone(
  whole: Alert | undefined,
  task: Task,
  deps: SavingDeps,
  save: () => Promise<Alert[]>,
): Promise<Alert[]> {
  try {
    return await save();
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.retryable) throw error;
    return await saveFailure({ code: 'alert-unsaved', error: error.message }, whole, task, deps);
  }
}

/** Saves in the health of the rule that some of its alerts cannot be read. */
export function saveUnreadable(
  [first, ...others]: UnreadableAlert[],
  whole: Alert | undefined,
  task: Task,
  deps: SavingDeps,
): Promise<Alert[]> {
  const reason = { code: 'alert-unreadable', error: first?.reason ?? '', others: others.length } as const;
  return saveFailure(reason, whole, task, deps);
}

/** If the alert with the health cannot be saved, only the log and an alarm report the failure. */
async function saveFailure(
  reason: HealthReason,
  whole: Alert | undefined,
  task: Task,
  { alerts, logger, meter }: SavingDeps,
): Promise<Alert[]> {
  const key = { ruleId: task.rule.id, segment: null };
  const outcome: Outcome = { kind: 'failed', reason, progressed: false };
  logger.error('a rule could not be evaluated', { rule: key.ruleId, reason });
  try {
    const decide = (stored: Alert | undefined) => updateHealth(stored, outcome, { ...task, windows: [] });
    return [await saveAlert(key, whole, alerts, decide)];
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.retryable) throw error;
    // Unreadable items were already counted when they were read.
    if (!(error instanceof UnreadableItemError)) meter.count('AlertsUnsaved');
    return [];
  }
}

/**
 * Saves segments first and the rule itself last, so that segments are stored for all windows it calls evaluated. If an
 * alert cannot be read, the others are saved, and the rule itself is not. If another run saved one first, all are loaded
 * again, and evaluated as that run left them.
 */
async function saveAlerts(
  evaluated: EvaluatedRule,
  alerts: AlertStore,
  explainFire: ExplainFire,
): Promise<Alert[]> {
  const { task, dueRule } = evaluated;
  for (let known: Alerts = dueRule.alerts; ; ) {
    const save = async (alert: Alert) =>
      alert === known.get(alert.segment) ? alert : alerts.save(await explainFire(alert, task));
    try {
      const saves = segmentsOf(evaluated, known).map(save);
      await Promise.allSettled(saves);
      const saved = await Promise.all(saves);
      if (dueRule.unreadable.length > 0) return saved;
      return [...saved, await save(wholeOf(evaluated, known, saved))];
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      const stored = await alerts.loadOfRule(task.rule.id);
      known = new Map(stored.map((alert) => [alert.segment, alert]));
    }
  }
}

type Alerts = ReadonlyMap<string | null, Alert>;

/** The readable alerts of segments after this run. If a change removed the segments of the rule, open ones end. */
function segmentsOf({ task, dueRule }: EvaluatedRule, known: Alerts): Alert[] {
  const { rule } = task;
  const all = [...known.values()];
  const segments = hasSegments(rule) ? segmentsToEvaluate(task, all) : openSegments(all);
  const series = hasSegments(rule) ? evaluateSeries(known, segments, task) : undefined;
  return segments
    .filter((key) => !dueRule.unreadable.some(({ segment }) => segment === key))
    .map(
      (segment) => series?.get(segment) ?? freshAlert(known.get(segment), { ruleId: rule.id, segment }, task),
    );
}

/** A stage is deployed before its key and its data exist: for this long, it does not notify of an app that was never read. */
const EARLY_MS = 2 * DAY_MS;

/** The alert of the rule itself after this run, once `segments` are saved. */
function wholeOf({ task, gap }: EvaluatedRule, known: Alerts, segments: Alert[]): Alert {
  const outcome: Outcome = gap ? { ...gap, progressed: task.windows.length > 0 } : { kind: 'evaluated' };
  const stored = known.get(null);
  const isWhole = !hasSegments(task.rule);
  const evaluated = isWhole ? evaluateSeries(known, [null], task).get(null) : stored;
  const { health = { kind: 'ok' } } = stored ?? {};
  const isNew =
    health.kind === 'ok' ||
    (health.kind === 'inconclusive' && task.tick.scheduledAt - health.since < EARLY_MS);
  const isEarly = isNew && outcome.kind === 'failed' && task.newestDataAt === -Infinity;
  const updated = updateHealth(evaluated, isEarly ? { ...outcome, kind: 'stale' } : outcome, task);
  const alert = updateUnmatched(updated, stored, task, outcome);
  return isWhole ? alert : withLargest(alert, segments);
}

/** Saves the result of `decide`. If another run saved first, decides again on what that run stored. */
export async function saveAlert(
  key: AlertKey,
  known: Alert | undefined,
  alerts: AlertStore,
  decide: (stored: Alert | undefined) => Alert,
): Promise<Alert> {
  for (let stored = known; ; ) {
    const alert = decide(stored);
    if (alert === stored) return alert;
    try {
      return await alerts.save(alert);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      [stored] = await alerts.load([key]);
    }
  }
}
