import type { AlertKey, AlertState } from '../../shared/alerting/alerts/alert.ts';
import type { Memory } from '../../shared/alerting/evaluation/baseline.ts';
import { evaluateTogether } from '../../shared/alerting/evaluation/evaluate-together.ts';
import type { Evaluation } from '../../shared/alerting/evaluation/evaluation.ts';
import { evidenceFor } from '../../shared/alerting/evaluation/evidence.ts';
import type { Routes } from '../../shared/alerting/notifications/routes.ts';
import type { History } from '../../shared/alerting/readings/history.ts';
import { seriesKeyOf } from '../../shared/alerting/readings/series.ts';
import { metricOf } from '../../shared/alerting/rules/metrics.ts';
import type { FigureRule, Rule } from '../../shared/alerting/rules/rule.ts';
import type { CalendarWindows } from '../../shared/alerting/time/calendar-windows.ts';
import type { Window } from '../../shared/alerting/time/window.ts';

/** Hears what a window of a series was found to be for the first time, and where its alert stands after it. */
export type OnEvaluated = (key: AlertKey, evaluation: Evaluation, state: AlertState) => void;

/** Hears where an alert stands that was moved on by a window in which nothing is known of its segment. */
export type OnUnseen = (key: AlertKey, window: Window, state: AlertState) => void;

/** What is to be done about a rule at one tick. */
export interface Task {
  rule: Rule;
  routes: Routes;
  /** The windows that can be judged, oldest first. */
  windows: Window[];
  /** Where the first window that is due begins. */
  dueFromAt: number;
  tick: { id: string; scheduledAt: number };
  onEvaluated?: OnEvaluated | undefined;
  onUnseen?: OnUnseen | undefined;
}

/** What judging a rule by its figures depends on, besides its alerts. */
export interface SeriesTask extends Task {
  rule: FigureRule;
  /** Windows judged before that may have been read again, oldest first. */
  again: Window[];
  history: History;
  calendarWindows: CalendarWindows;
  newestDataAt: number;
}

/**
 * What each series was found to be in `window`, beside the others and held against what its alert remembers; none for
 * those that nothing is known of.
 */
export function evaluationsOf(
  window: Window,
  memories: ReadonlyMap<string | null, Memory>,
  watched: ReadonlySet<string>,
  { rule, history, calendarWindows, newestDataAt }: SeriesContext,
): Map<string | null, Evaluation> {
  for (const [segment, { seenSinceAt }] of memories)
    if (seenSinceAt !== undefined)
      history.remember(seriesKeyOf(rule, segment, watched), metricOf(rule), seenSinceAt);
  const evidences = [...memories].flatMap(([segment, memory]) => {
    const context = { history, memory, calendarWindows, newestDataAt };
    const evidence = evidenceFor(rule, window, seriesKeyOf(rule, segment, watched), context);
    return evidence ? [{ segment, evidence }] : [];
  });
  const evaluations = evaluateTogether(
    rule,
    evidences.map(({ evidence }) => evidence),
  );
  return new Map(evaluations.map((evaluation, i) => [evidences[i]?.segment ?? null, evaluation]));
}

type SeriesContext = Pick<SeriesTask, 'rule' | 'history' | 'calendarWindows' | 'newestDataAt'>;
