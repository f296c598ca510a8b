import type { Archive } from '../../local/replay/archive.ts';
import type { ReadingRow } from '../../shared/readings/reading.ts';
import { seriesKeyOf } from '../../shared/readings/series.ts';
import { namesIn } from '../../shared/rules/formula.ts';
import { type RowMetric, rowMetricOf } from '../../shared/rules/metric.ts';
import { metricOf } from '../../shared/rules/metrics.ts';
import type { FigureRule } from '../../shared/rules/rule.ts';

/** An invented figure of one series: windows that end after `afterAt` are multiplied by `factor`. */
export interface Alteration {
  segment: string | null;
  afterAt: number;
  factor: number;
}

/** The same history with that change: of a ratio, its first event changes; of a quotient, all figures above the line. */
export function altered(archive: Archive, rule: FigureRule, alteration: Alteration): Archive {
  const { segment, afterAt, factor } = alteration;
  const metrics = alteredMetrics(rowMetricOf(metricOf(rule)));
  const { eventName } = seriesKeyOf(rule, segment);
  const isOfSeries = (row: ReadingRow) =>
    (eventName === undefined || row.eventName === eventName) &&
    (segment === null || rule.funnel !== undefined || row.segment === segment);
  const alter = (row: ReadingRow): ReadingRow => {
    if (!isOfSeries(row) || !row.current) return row;
    const current = { ...row.current };
    for (const { key, kind } of metrics) {
      const value = current[key];
      if (typeof value === 'number')
        current[key] = kind === 'count' ? Math.round(value * factor) : value * factor;
    }
    return { ...row, current };
  };
  return {
    ...archive,
    rowsOf(subject, window) {
      const rows = archive.rowsOf(subject, window);
      return window.endAt > afterAt ? rows?.map(alter) : rows;
    },
  };
}

function alteredMetrics(metric: RowMetric): RowMetric[] {
  if (!('computed' in metric)) return [metric];
  const { parts, of } = metric.computed;
  return namesIn(of).flatMap((name) => parts.get(name) ?? []);
}
