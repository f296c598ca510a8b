import type { Alert } from '../../shared/alerts/alert.ts';
import type { Outcome } from '../../shared/alerts/health.ts';
import {
  afterRuns,
  type EvaluatedRun,
  isDue,
  isDueUnsent,
  MATCH_DAYS,
  newlyDeployed,
  type Unmatched,
} from '../../shared/alerts/matches-nothing.ts';
import type { MatchReason } from '../../shared/evaluation/reason.ts';
import { queueNews } from '../../shared/notifications/pending-notifications.ts';
import { removePending } from '../../shared/notifications/pending-set.ts';
import { isRead } from '../../shared/planning/wanted-readings.ts';
import type { Reading } from '../../shared/readings/reading.ts';
import { seriesKeyOf, seriesOf, watchTheSame } from '../../shared/readings/series.ts';
import { groupText } from '../../shared/rules/group-by.ts';
import { stepsOf } from '../../shared/rules/ratio.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import type { Window } from '../../shared/time/window.ts';
import type { SeriesTask } from './evaluate-series.ts';

/**
 * The alert of the rule as a whole after this run (`stored`: before it), with the time since when the rule has no
 * value. The owner of a new rule without a value for long enough is notified once, also if no window could be
 * evaluated because the app never sent anything. A value withdraws a notification that was not sent yet.
 */
export function updateUnmatched(
  alert: Alert,
  stored: Alert | undefined,
  task: SeriesTask,
  outcome: Outcome,
): Alert {
  const { rule, routes, tick, newestDataAt } = task;
  // A rule that watches what it watched before is not new, however it was changed.
  const known = stored && watchTheSame(stored.ruleHash, alert.ruleHash) ? stored : undefined;
  const before = known ? known.unmatched : newlyDeployed(task.dueFromAt);
  // Late data only matters to a rule without a value.
  const again = before ? task.again : [];
  const runs = evaluatedRuns({ ...task, again }, known?.evaluatedThroughAt ?? -Infinity);
  const unmatched = withPast(afterRuns(before, runs, rule), task);
  const isUnsent = outcome.kind === 'stale' && newestDataAt === -Infinity;
  const isPending = isUnsent ? isDueUnsent(unmatched, rule, tick.scheduledAt) : isDue(unmatched, rule);
  if (!unmatched || !isPending)
    return withdrawn(alert.unmatched === unmatched ? alert : { ...alert, unmatched });
  const notified = { ...alert, unmatched: { ...unmatched, notified: true } };
  const reason = isUnsent
    ? ({ code: 'app-never-sent', app: rule.app, days: MATCH_DAYS } as const)
    : reasonFor(unmatched, task);
  const step = { alert: notified, news: [{ transition: 'matches-nothing' as const, reason }] };
  const about = { windowEndAt: tick.scheduledAt, evaluation: null, firedWindowEndAt: null, tick };
  return queueNews(step, rule, routes, about);
}

function evaluatedRuns(task: SeriesTask, knownThroughAt: number): EvaluatedRun[] {
  const { windows, again, tick } = task;
  const runs = [...again, ...windows].flatMap((window): EvaluatedRun[] => {
    const hasValue = hasValueIn(window, task);
    const isAgain = window.endAt <= knownThroughAt;
    return hasValue === undefined ? [] : [{ window, hasValue, at: tick.scheduledAt, isAgain }];
  });
  return runs.toSorted((a, b) => a.window.endAt - b.window.endAt);
}

/** An event that came shortly before its rule was deployed is rare, not misspelled. */
function withPast(unmatched: Unmatched | null, task: SeriesTask): Unmatched | null {
  const { rule, calendarWindows, windows } = task;
  const [first] = windows;
  if (!first || !isDue(unmatched, rule)) return unmatched;
  const fromAt = first.endAt - MATCH_DAYS * 86_400_000;
  for (let past = calendarWindows.before(first); past.endAt >= fromAt; past = calendarWindows.before(past))
    if (hasValueIn(past, task)) return { ...unmatched, isNew: false };
  return unmatched;
}

/** Whether any series of the rule has a value in `window`; `undefined` where it was not read. */
function hasValueIn(window: Window, { rule, history }: SeriesTask): boolean | undefined {
  if (!isRead(history, rule, window)) return undefined;
  const metric = metricOf(rule);
  return segmentsOf(rule, window, history).some((segment) => {
    // The first window of a series counts, even if it is partial.
    const series = { ...seriesKeyOf(rule, segment), zeroBefore: 'series' as const };
    const reading = history.reading(window, series, metric);
    return reading !== undefined && isValue(reading, metric.kind === 'mean');
  });
}

/** A mean of 0 is a value. Without anything to average, a mean is null. */
function isValue({ value }: Reading, isMean: boolean): boolean {
  return isMean ? value !== null : (value ?? 0) > 0;
}

/** The segments to check. Rows without a value of the attribute are not a segment. */
function segmentsOf(rule: FigureRule, window: Window, history: SeriesTask['history']): (string | null)[] {
  if (rule.funnel) return stepsOf(rule.funnel).map(({ segment }) => segment);
  if (rule.group_by === undefined) return [null];
  const [eventName] = seriesOf(rule).eventNames;
  const segments = history.segments(window, eventName, metricOf(rule));
  return [...segments.keys()].filter((segment) => segment !== '');
}

function reasonFor({ windows }: Unmatched, { rule, windows: evaluated, history }: SeriesTask): MatchReason {
  const [last] = evaluated.slice(-1);
  const [eventName] = seriesOf(rule).eventNames;
  const { window: grain } = rule;
  const attribute = groupText(rule);
  const isUngrouped = last && attribute && history.segments(last, eventName, metricOf(rule)).has('');
  return isUngrouped
    ? { code: 'never-a-segment', windows, grain, attribute }
    : { code: 'never-a-value', windows, grain };
}

/** Withdraws a notification that is no longer true and was not attempted yet. */
function withdrawn(alert: Alert): Alert {
  const keys = Object.entries(alert.pending).flatMap(([key, { transition, attempts }]) =>
    transition === 'matches-nothing' && attempts === 0 && !alert.unmatched?.notified ? [key] : [],
  );
  return keys.length > 0 ? removePending(alert, keys) : alert;
}
