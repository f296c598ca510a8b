import { Almanac } from '../../../shared/alerting/almanac.ts';
import { historyRanges } from '../../../shared/alerting/evidence.ts';
import { History } from '../../../shared/alerting/history.ts';
import { metricOf } from '../../../shared/alerting/metrics.ts';
import type { ReadingStore } from '../../../shared/alerting/ports.ts';
import type { FigureRule } from '../../../shared/alerting/rule.ts';
import { seriesKeyOf, seriesOf } from '../../../shared/alerting/series.ts';
import { lastClosedWindow, type Window, windowBefore } from '../../../shared/alerting/window.ts';

/** A window's figure; `null` where there is none or where nobody asked. */
export interface Point {
  window: Window;
  value: number | null;
}

/**
 * The series' figures of the last windows, oldest first, from the first that has one. As many as its usual spread
 * is learned from.
 */
export async function loadPoints(
  rule: FigureRule,
  segment: string | null,
  now: number,
  readings: ReadingStore,
): Promise<Point[]> {
  const { family, calendar } = seriesOf(rule);
  const last = lastClosedWindow(now - rule.settle * 60_000, calendar);
  const [range] = historyRanges(rule, [last], [], new Almanac(calendar));
  if (!range) return [];
  const history = new History(await readings.load(family, range));
  const series = seriesKeyOf(rule, segment);
  const metric = metricOf(rule);

  const points: Point[] = [];
  let next: Window | undefined;
  for (let window = last; window.endAt >= range.fromEndAt; window = windowBefore(window, calendar)) {
    const own = history.reading(window, series, metric);
    // A compared answer tells of the window before its own, which nobody may have asked for by itself.
    const reading = own ?? (next && history.reading(next, series, metric, 'previous'));
    points.unshift({ window, value: reading?.value ?? null });
    next = window;
  }
  const first = points.findIndex(({ value }) => value !== null);
  return first < 0 ? [] : points.slice(first);
}
