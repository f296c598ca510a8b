import type { Alert } from '../../shared/alerting/alert.ts';
import { baselineWindows, NO_MEMORY } from '../../shared/alerting/baseline.ts';
import { metricOf } from '../../shared/alerting/metrics.ts';
import { seriesOf } from '../../shared/alerting/series.ts';
import { OTHERS } from '../../shared/analytics/grouping.ts';
import type { Judging } from './judge-rule.ts';

/**
 * The segments of a rule to judge: the largest of those that had rows in a window or its baseline, as many as the rule
 * declares, all whose alert is not at rest, and, where figures add up, `others` for all the rest.
 */
export function segmentsToJudge({ rule, windows, history, almanac }: Judging, alerts: Alert[]): string[] {
  const metric = metricOf(rule.metric);
  const { eventName } = seriesOf(rule);
  const sizes = new Map<string, number>();
  const looked = windows.flatMap((window) => [window, ...baselineWindows(rule, window, NO_MEMORY, almanac)]);
  for (const window of looked)
    for (const [segment, size] of history.segments(window, eventName, metric))
      sizes.set(segment, Math.max(size, sizes.get(segment) ?? 0));
  const largest = [...sizes]
    .toSorted(([a, sizeA], [b, sizeB]) => sizeB - sizeA || (a < b ? -1 : 1))
    .slice(0, rule.max_segments)
    .map(([segment]) => segment);
  const watched = new Set([...largest, ...openSegments(alerts)]);
  const hasMore =
    [...sizes.keys()].some((segment) => !watched.has(segment)) ||
    looked.some((window) => history.isFolded(window, eventName, metric));
  if (hasMore && (metric.kind === 'mean' || metric.addsUp)) watched.add(OTHERS);
  return [...watched].sort();
}

/** The segments whose alert is not at rest. */
export function openSegments(alerts: Alert[]): string[] {
  return alerts.filter(({ state }) => state !== 'normal').flatMap(({ segment }) => segment ?? []);
}
