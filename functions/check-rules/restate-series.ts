import type { Alert } from '../../shared/alerts/alert.ts';
import { memoryAt, restate } from '../../shared/alerts/lifecycle.ts';
import type { Memory } from '../../shared/evaluation/baseline.ts';
import { queueNews } from '../../shared/notifications/pending-notifications.ts';
import type { Reading } from '../../shared/readings/reading.ts';
import { seriesKeyOf } from '../../shared/readings/series.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import type { Window } from '../../shared/time/window.ts';
import { evaluationsOf, type SeriesTask } from './evaluate-series.ts';

type Alerts = ReadonlyMap<string | null, Alert>;

/**
 * The alerts after the windows that were read again, oldest first. If a figure differs from any earlier reading, its
 * window is evaluated again with the memory of that time. Repeating this changes nothing.
 */
export function restateSeries(
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
