import { type Alert, type AlertKey, newAlert } from '../../shared/alerts/alert.ts';
import { ACCEPTED_AFTER, calendarOf } from '../../shared/alerts/alert-states.ts';
import { advanceHealth, type Outcome } from '../../shared/alerts/health.ts';
import { advance, advanceUnseen, memoryAt, restate } from '../../shared/alerts/lifecycle.ts';
import { isInTime } from '../../shared/alerts/matches-nothing.ts';
import { OTHERS } from '../../shared/contract/grouping.ts';
import type { Memory } from '../../shared/evaluation/baseline.ts';
import type { Evaluation } from '../../shared/evaluation/evaluation.ts';
import { queueNews, queueNotification } from '../../shared/notifications/pending-notifications.ts';
import type { Reading } from '../../shared/readings/reading.ts';
import { meaningOf, seriesKeyOf, watchTheSame } from '../../shared/readings/series.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import { endAfter, type Window } from '../../shared/time/window.ts';
import { evaluationsOf, type SeriesTask, type Task } from './evaluate-series.ts';

/**
 * The alerts of the rule's series after all windows, with their pending notifications. The segments of a window are
 * evaluated together, because significance depends on how many there are. Windows that an alert has already evaluated
 * change nothing, so a run can be repeated from any point.
 */
export function evaluateSeries(
  stored: ReadonlyMap<string | null, Alert>,
  segments: (string | null)[],
  task: SeriesTask,
): Map<string | null, Alert> {
  const { rule, routes, windows, tick, onEvaluated, onUnseen } = task;
  const fresh = new Map(
    segments.map((segment) => [segment, freshAlert(stored.get(segment), { ruleId: rule.id, segment }, task)]),
  );
  const watched = new Set(segments.flatMap((segment) => (segment === OTHERS ? [] : (segment ?? []))));
  const alerts = restateSeries(fresh, watched, task);
  for (const window of windows) {
    const evaluations = evaluationsOf(window, alerts, watched, task);
    for (const [segment, alert] of alerts) {
      const evaluation = evaluations.get(segment) ?? null;
      const firedWindowEndAt = alert.fired?.windowEndAt ?? null;
      const isNews = evaluation && window.endAt > alert.evaluatedThroughAt;
      const seen = isNews ? seenBy(alert, evaluation, watched, task) : alert;
      const step = evaluation ? advance(seen, evaluation, rule) : advanceUnseen(alert, window, rule);
      const about = { windowEndAt: window.endAt, evaluation, firedWindowEndAt, tick };
      alerts.set(segment, queueNews(step, rule, routes, about));
      if (window.endAt <= alert.evaluatedThroughAt) continue;
      if (evaluation) onEvaluated?.(alert, evaluation, step.alert.state);
      else if (step.alert.evaluatedThroughAt === window.endAt) onUnseen?.(alert, window, step.alert.state);
    }
  }
  return alerts;
}

/**
 * The alert with the time since when its series is known, because old readings expire. An event without a value for as
 * many windows as rebaselining takes is known to be at zero. Windows that waited for data do not count: the app may
 * have sent nothing in them.
 */
function seenBy(
  alert: Alert,
  { current }: Evaluation,
  watched: ReadonlySet<string>,
  { rule, history, tick }: SeriesTask,
): Alert {
  const series = seriesKeyOf(rule, alert.segment, watched);
  if (alert.seenSinceAt !== undefined || series.outside || current.value === null) return alert;
  const sinceAt = series.zeroBefore ? -Infinity : history.seenSince(series, metricOf(rule));
  if (sinceAt > -Infinity) return { ...alert, seenSinceAt: sinceAt };
  if (current.value > 0 || current.weight) return { ...alert, seenSinceAt: current.window.startAt };
  const { segment, state, unmatched } = alert;
  const isZero = segment === null && current.value === 0 && state === 'normal';
  if (!isZero || !isInTime(current.window, tick.scheduledAt, rule)) return alert;
  const count = ACCEPTED_AFTER[rule.window];
  const isLong = (unmatched?.windows ?? 0) + 1 >= count;
  return isLong ? { ...alert, seenSinceAt: endAfter(current.window.endAt, -count, calendarOf(rule)) } : alert;
}

/** The alert of the rule as a whole after this tick: its last evaluated window and its health. */
export function updateHealth(stored: Alert | undefined, outcome: Outcome, task: Task): Alert {
  const { rule, routes, windows, tick } = task;
  const alert = freshAlert(stored, { ruleId: rule.id, segment: null }, task);
  const through = windows.at(-1)?.endAt ?? 0;
  const reached = through > alert.evaluatedThroughAt ? { ...alert, evaluatedThroughAt: through } : alert;
  const step = advanceHealth(reached, outcome, tick.scheduledAt);
  const about = { windowEndAt: tick.scheduledAt, evaluation: null, firedWindowEndAt: null, tick };
  return queueNews(step, rule, routes, about);
}

/**
 * The stored alert, or a new one if none is stored or the meaning of the rule changed. The new one keeps health,
 * answers, pending notifications and a `noData` that was sent. It queues `restarted` if the old alert was open. If the
 * rule watches the same figures, it also keeps its last values, and what the baseline excludes: incidents, the
 * suspected change, the excuse and the level.
 */
export function freshAlert(stored: Alert | undefined, key: AlertKey, task: Task): Alert {
  const { rule, routes, dueFromAt, tick } = task;
  const meaning = meaningOf(rule);
  if (stored?.ruleHash === meaning) return stored;
  const fresh = newAlert(key, meaning, dueFromAt);
  if (!stored) return fresh;
  const { pending, pendingAt, sent, health, revision } = stored;
  const noData = stored.noData?.notified ? stored.noData : null;
  const isSame = watchTheSame(stored.ruleHash, meaning);
  const { fired, suspected, incidents, excusedUntilAt, answers, flappingSinceAt } = stored;
  const { levelSinceAt, levelAcceptedAt, seenSinceAt, lastWindows } = stored;
  const level = { levelSinceAt, levelAcceptedAt, seenSinceAt };
  const known = { incidents, suspected: fired ?? suspected, ...level, excusedUntilAt, lastWindows };
  const memory = isSame ? known : {};
  const kept = { ...fresh, pending, pendingAt, sent, answers, health, noData, revision, ...memory };
  if (!fired && flappingSinceAt === null) return kept;
  const was = flappingSinceAt === null ? 'firing' : 'flapping';
  const reason = { code: 'rule-changed', was } as const;
  const about = { transition: 'restarted' as const, reason, windowEndAt: tick.scheduledAt, evaluation: null };
  return queueNotification(kept, rule, routes, {
    ...about,
    firedWindowEndAt: fired?.windowEndAt ?? null,
    tick,
  });
}

type Alerts = ReadonlyMap<string | null, Alert>;

/**
 * The alerts after the windows that were read again, oldest first. If a figure differs from any earlier reading, its
 * window is evaluated again with the memory of that time. Repeating this changes nothing.
 */
function restateSeries(
  stored: Alerts,
  watched: ReadonlySet<string>,
  task: SeriesTask,
): Map<string | null, Alert> {
  const { rule, routes, tick } = task;
  const alerts = new Map(stored);
  for (const window of task.again) {
    const changed = [...alerts].flatMap(([segment, alert]) => {
      const firstRead = changedSince(window, segment, watched, task);
      return firstRead ? [{ segment, alert, firstRead }] : [];
    });
    if (changed.length === 0) continue;
    const memories = new Map(
      [...alerts].map(([segment, alert]): [typeof segment, Memory] => [segment, memoryAt(alert, window)]),
    );
    const evaluations = evaluationsOf(window, memories, watched, task);
    for (const { segment, alert, firstRead } of changed) {
      const evaluation = evaluations.get(segment);
      if (!evaluation) continue;
      const firedWindowEndAt = alert.fired?.windowEndAt ?? null;
      const about = { windowEndAt: window.endAt, evaluation, firedWindowEndAt, firstRead, tick };
      alerts.set(segment, queueNews(restate(alert, evaluation, rule), rule, routes, about));
    }
  }
  return alerts;
}

/** The first earlier reading that differs from the current one. Figures may change and change back. */
function changedSince(
  window: Window,
  segment: string | null,
  watched: ReadonlySet<string>,
  { rule, history }: SeriesTask,
): Reading | undefined {
  const series = seriesKeyOf(rule, segment, watched);
  const earlier = history.earlier(window, series, metricOf(rule));
  if (earlier.length === 0) return undefined;
  const now = history.reading(window, series, metricOf(rule));
  return earlier.find(({ value, weight }) => value !== now?.value || weight !== now?.weight);
}
