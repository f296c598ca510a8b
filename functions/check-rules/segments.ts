import type { Alert } from '../../shared/alerts/alert.ts';
import { OTHERS } from '../../shared/contract/grouping.ts';
import { baselineWindows, NO_MEMORY } from '../../shared/evaluation/baseline.ts';
import { seriesKeyOf } from '../../shared/readings/series.ts';
import { figuresOf } from '../../shared/readings/series-line.ts';
import { type Metric, rowMetricOf } from '../../shared/rules/metric.ts';
import { stepsOf } from '../../shared/rules/ratio.ts';
import { metricOf } from '../../shared/rules/watched-metric.ts';
import type { SeriesTask } from './evaluate-series.ts';

/**
 * The segments to evaluate: the largest ones with rows in a window or its baseline, up to `max_segments`; all with an
 * open alert; and, if figures add up, `others` for the rest. The segments of a funnel are its steps.
 */
export function segmentsToEvaluate(
  { rule, windows, again, history, calendarWindows }: SeriesTask,
  alerts: Alert[],
): string[] {
  const open = openSegments(alerts);
  if (rule.funnel)
    return [...new Set([...stepsOf(rule.funnel).map(({ segment }) => segment), ...open])].sort();
  const metric = metricOf(rule);
  const series = seriesKeyOf(rule, null);
  const eventName = series.per ?? series.eventName;
  const sizes = new Map<string, number>();
  const considered = [...again, ...windows].flatMap((window) => [
    window,
    ...baselineWindows(rule, window, NO_MEMORY, calendarWindows),
  ]);
  for (const window of considered)
    for (const [segment, size] of history.segments(window, eventName, metric))
      sizes.set(segment, Math.max(size, sizes.get(segment) ?? 0));
  const largest = [...sizes]
    .toSorted(([a, sizeA], [b, sizeB]) => sizeB - sizeA || (a < b ? -1 : 1))
    .slice(0, rule.max_segments)
    .map(([segment]) => segment);
  const watched = new Set([...largest, ...open]);
  const hasMore =
    [...sizes.keys()].some((segment) => !watched.has(segment)) ||
    considered.some((window) => history.isFolded(window, eventName, metric));
  if (hasMore && addsUp(metric)) watched.add(OTHERS);
  return [...watched];
}

function addsUp(metric: Metric): boolean {
  const row = rowMetricOf(metric);
  return figuresOf(row).every((each) => each.kind !== 'count' || each.addsUp);
}

/** Segments with an open alert. A flapping one is open, because the notification of its end has not been sent yet. */
export function openSegments(alerts: Alert[]): string[] {
  return alerts
    .filter(({ state, flappingSinceAt }) => state !== 'normal' || flappingSinceAt !== null)
    .flatMap(({ segment }) => segment ?? []);
}
