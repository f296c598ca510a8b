import type { Alert, AlertKey } from '../../shared/alerts/alert.ts';
import type { AlertStore, UnreadableAlert } from '../../shared/alerts/alert-store.ts';
import type { Outcome } from '../../shared/alerts/health.ts';
import { withLargest } from '../../shared/alerts/last-windows.ts';
import type { HealthReason } from '../../shared/evaluation/reason.ts';
import { hasSegments } from '../../shared/rules/rule.ts';
import { ConflictError, UnreadableItemError, UpstreamError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Meter } from '../../shared/runtime/metrics.ts';
import type { EvaluatedRule } from './due-rules.ts';
import { evaluateSeries, freshAlert, updateHealth } from './evaluate-rule.ts';
import type { SeriesTask, Task } from './evaluate-series.ts';
import type { ExplainFire } from './explain-fires.ts';
import { openSegments, segmentsToEvaluate } from './segments.ts';
import { updateUnmatched } from './unmatched-rules.ts';

/** Computes the new alert from the stored one. */
type Decide = (stored: Alert | undefined) => Alert | Promise<Alert>;

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
 * alert cannot be read, the others are saved, and the rule itself is not.
 */
async function saveAlerts(
  { task, gap, dueRule }: EvaluatedRule,
  alerts: AlertStore,
  explainFire: ExplainFire,
): Promise<Alert[]> {
  const outcome: Outcome = gap ? { ...gap, progressed: task.windows.length > 0 } : { kind: 'evaluated' };
  const { rule } = task;
  const known = dueRule.alerts;
  const isUnreadable = (key: string | null) => dueRule.unreadable.some(({ segment }) => segment === key);
  const explained = (stored: Alert | undefined, alert: Alert) =>
    alert === stored ? alert : explainFire(alert, task);
  const save = (segment: string | null, decide: (stored: Alert | undefined) => Alert) =>
    saveAlert({ ruleId: rule.id, segment }, known.get(segment), alerts, (stored) =>
      explained(stored, decide(stored)),
    );

  if (hasSegments(rule)) {
    const segments = segmentsToEvaluate(task, [...known.values()]);
    const states = new SegmentStates(known, segments, task, alerts);
    const saved = await Promise.all(
      segments
        .filter((segment) => !isUnreadable(segment))
        .map((segment) => {
          let state = states.first;
          return saveUntilKept({
            known: known.get(segment),
            alerts,
            decide: (stored) => explained(stored, states.evaluated(state, segment, stored)),
            async reload() {
              state = await states.after(state);
              return state.known.get(segment);
            },
          });
        }),
    );
    if (dueRule.unreadable.length > 0) return saved;
    const whole = await save(null, (stored) =>
      withLargest(updateUnmatched(updateHealth(stored, outcome, task), stored, task, outcome), saved),
    );
    return [...saved, whole];
  }

  // If a change removed the segments of the rule, their open alerts end.
  const ended = openSegments([...known.values()]).map((segment) =>
    save(segment, (stored) => freshAlert(stored, { ruleId: rule.id, segment }, task)),
  );
  if (dueRule.unreadable.length > 0) return await Promise.all(ended);
  const whole = save(null, (stored) => {
    const evaluated = evaluateSeries(replaced(known, null, stored), [null], task).get(null);
    return updateUnmatched(updateHealth(evaluated, outcome, task), stored, task, outcome);
  });
  return await Promise.all([...ended, whole]);
}

function replaced(
  alerts: ReadonlyMap<string | null, Alert>,
  segment: string | null,
  stored: Alert | undefined,
) {
  const others = new Map(alerts);
  if (stored) others.set(segment, stored);
  else others.delete(segment);
  return others;
}

interface SegmentState {
  known: ReadonlyMap<string | null, Alert>;
  /** Computed on first use and cached: evaluating a hundred segments takes a second. */
  evaluate: () => ReadonlyMap<string | null, Alert>;
}

/** The segments of a rule, evaluated together: as first loaded, and as reloaded after another run saved some. */
class SegmentStates {
  readonly first: SegmentState;
  readonly #segments: string[];
  readonly #task: SeriesTask;
  readonly #alerts: AlertStore;
  #newest: { after: SegmentState; state: Promise<SegmentState> } | undefined;

  constructor(
    known: ReadonlyMap<string | null, Alert>,
    segments: string[],
    task: SeriesTask,
    alerts: AlertStore,
  ) {
    this.#segments = segments;
    this.#task = task;
    this.#alerts = alerts;
    this.first = this.#stateOf(known);
  }

  /** A later state, loaded once for all segments that another run saved first. */
  async after(state: SegmentState): Promise<SegmentState> {
    const newest = this.#newest && (await this.#newest.state);
    if (newest && newest !== state) return newest;
    if (this.#newest?.after !== state) this.#newest = { after: state, state: this.#load() };
    return this.#newest.state;
  }

  /** The alert after this run. If another run has evaluated it through the last window, it stays as stored. */
  evaluated({ evaluate }: SegmentState, segment: string, stored: Alert | undefined): Alert {
    const { rule, windows, again } = this.#task;
    const lastEndAt = windows.at(-1)?.endAt ?? 0;
    const fresh = freshAlert(stored, { ruleId: rule.id, segment }, this.#task);
    const isEvaluated = fresh === stored && again.length === 0 && stored.evaluatedThroughAt >= lastEndAt;
    return isEvaluated ? stored : (evaluate().get(segment) ?? fresh);
  }

  async #load(): Promise<SegmentState> {
    const stored = await this.#alerts.loadOfRule(this.#task.rule.id);
    return this.#stateOf(new Map(stored.map((alert) => [alert.segment, alert])));
  }

  #stateOf(known: ReadonlyMap<string | null, Alert>): SegmentState {
    let evaluated: ReadonlyMap<string | null, Alert> | undefined;
    return {
      known,
      evaluate: () => {
        evaluated ??= evaluateSeries(known, this.#segments, this.#task);
        return evaluated;
      },
    };
  }
}

/** Saves the result of `decide`. If another run saved first, decides again on what that run stored. */
export async function saveAlert(
  key: AlertKey,
  known: Alert | undefined,
  alerts: AlertStore,
  decide: Decide,
): Promise<Alert> {
  return saveUntilKept({
    known,
    alerts,
    decide,
    async reload() {
      const [stored] = await alerts.load([key]);
      return stored;
    },
  });
}

interface Saving {
  known: Alert | undefined;
  alerts: AlertStore;
  decide: Decide;
  /** Reloads the alert if another run has saved it first. */
  reload: () => Promise<Alert | undefined>;
}

async function saveUntilKept({ known, alerts, decide, reload }: Saving): Promise<Alert> {
  let stored = known;
  for (;;) {
    const alert = await decide(stored);
    if (alert === stored) return alert;
    try {
      return await alerts.save(alert);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      stored = await reload();
    }
  }
}
