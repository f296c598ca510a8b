import type { AlertKey, AlertState } from '../../shared/alerts/alert.ts';
import { type Memory, outside } from '../../shared/evaluation/baseline.ts';
import { evaluateTogether } from '../../shared/evaluation/evaluate.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { evidenceFor } from '../../shared/evaluation/evidence.ts';
import type { Routes } from '../../shared/notifications/routes.ts';
import type { History } from '../../shared/readings/history.ts';
import { seriesKeyOf } from '../../shared/readings/series.ts';
import type { FigureRule, Rule } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import type { CalendarWindows } from '../../shared/time/calendar-windows.ts';
import type { Window } from '../../shared/time/window.ts';

/** Called with the first evaluation of a window of a series, and the state of its alert after it. */
export type OnEvaluated = (key: AlertKey, evaluation: Evaluation, state: AlertState) => void;

/** Called with the state of an alert after a window without readings of its segment. */
export type OnUnseen = (key: AlertKey, window: Window, state: AlertState) => void;

export interface Task {
  rule: Rule;
  routes: Routes;
  /** The windows that can be evaluated, oldest first. */
  windows: Window[];
  /** The start of the first due window. */
  dueFromAt: number;
  tick: { id: string; scheduledAt: number };
  onEvaluated?: OnEvaluated | undefined;
  onUnseen?: OnUnseen | undefined;
}

/** The input of evaluating a rule with figures, besides its alerts. */
export interface SeriesTask extends Task {
  rule: FigureRule;
  /** Windows that were evaluated before and may have been read again, oldest first. */
  again: Window[];
  history: History;
  calendarWindows: CalendarWindows;
  newestDataAt: number;
  /** Times in which the app was found to send nothing. */
  silences?: readonly Window[];
}

/** The evaluation of each series with readings, by segment, each with the memory of its alert. */
export function evaluationsOf(
  window: Window,
  memories: ReadonlyMap<string | null, Memory>,
  watched: ReadonlySet<string>,
  { rule, history, calendarWindows, newestDataAt, silences = [] }: SeriesContext,
): Map<string | null, Evaluation> {
  for (const [segment, { seenSinceAt }] of memories)
    if (seenSinceAt !== undefined)
      history.remember(seriesKeyOf(rule, segment, watched), metricOf(rule), seenSinceAt);
  const evidences = [...memories].flatMap(([segment, memory]) => {
    const known = silences.length > 0 ? outside(silences)(memory) : memory;
    const context = { history, memory: known, calendarWindows, newestDataAt, silences };
    const evidence = evidenceFor(rule, window, seriesKeyOf(rule, segment, watched), context);
    return evidence ? [{ segment, evidence }] : [];
  });
  const evaluations = evaluateTogether(
    rule,
    evidences.map(({ evidence }) => evidence),
  );
  return new Map(evaluations.map((evaluation, i) => [evidences[i]?.segment ?? null, evaluation]));
}

type SeriesContext = Pick<SeriesTask, 'rule' | 'history' | 'calendarWindows' | 'newestDataAt' | 'silences'>;
