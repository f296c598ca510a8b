import type { Archive } from '../../local/replay/archive.ts';
import type { ReadingRow } from '../../shared/alerting/readings/reading.ts';
import { seriesKeyOf } from '../../shared/alerting/readings/series.ts';
import { metricOf } from '../../shared/alerting/rules/metrics.ts';
import type { FigureRule } from '../../shared/alerting/rules/rule.ts';

/** An invented figure of one series: windows that end after `afterAt` are multiplied by `factor`. */
export interface Alteration {
  segment: string | null;
  afterAt: number;
  factor: number;
}

/** The same history with that change: of a ratio, its first event changes; of a mean, its value. */
export function altered(archive: Archive, rule: FigureRule, alteration: Alteration): Archive {
  const { segment, afterAt, factor } = alteration;
  const { key } = metricOf(rule);
  const { eventName } = seriesKeyOf(rule, segment);
  const isOfSeries = (row: ReadingRow) =>
    (eventName === undefined || row.eventName === eventName) &&
    (segment === null || rule.funnel !== undefined || row.segment === segment);
  const alter = (row: ReadingRow): ReadingRow => {
    const value = row.current?.[key];
    if (!isOfSeries(row) || typeof value !== 'number') return row;
    const next = metricOf(rule).kind === 'mean' ? value * factor : Math.round(value * factor);
    return { ...row, current: { ...row.current, [key]: next } };
  };
  return {
    ...archive,
    rowsOf(subject, window) {
      const rows = archive.rowsOf(subject, window);
      return window.endAt > afterAt ? rows?.map(alter) : rows;
    },
  };
}
