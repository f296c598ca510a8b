import { type RowMetric, rowKeysOf } from '../rules/metric.ts';
import { lazyBy } from '../units/lazy.ts';
import { type IndexedSnapshot, restReading } from './indexed-snapshot.ts';
import type { Period, Reading, SeriesKey } from './reading.ts';
import { readingOf } from './row-reading.ts';
import type { Coverage } from './series-starts.ts';

/** The row keys that a reading of the metric needs. Returns the same object each time. */
export const keysOf = lazyBy<RowMetric, readonly string[]>(rowKeysOf, new WeakMap());

/** The metrics whose figures the metric is computed from; itself if it is not computed. */
export function figuresOf(metric: RowMetric): RowMetric[] {
  return 'computed' in metric ? [...metric.computed.parts.values()] : [metric];
}

const PARTS = new WeakMap<SeriesKey, { of: SeriesKey; to: SeriesKey }>();

/** The two series of a ratio, the same objects each time; `undefined` for other series. */
export function partsOf(series: SeriesKey): { of: SeriesKey; to: SeriesKey } | undefined {
  const known = PARTS.get(series);
  const { per, ...of } = series;
  if (known || per === undefined) return known;
  const parts = { of, to: { ...of, eventName: per } };
  PARTS.set(series, parts);
  return parts;
}

/** Where to find a series in each snapshot, and its start. */
export interface Line {
  series: SeriesKey;
  metric: RowMetric;
  row: string;
  coverage: Coverage;
  /** As `SeriesStarts` gives it. */
  sinceAt: number;
}

/** The reading of the series in a snapshot; `undefined` if the segment may be folded. */
export function readOff(
  snapshot: IndexedSnapshot | undefined,
  period: Period,
  { series, metric, row }: Line,
): Reading | undefined {
  if (!snapshot) return undefined;
  if (series.outside) return restReading(snapshot, { ...series, outside: series.outside }, metric, period);
  const figures = snapshot.rows.get(row)?.[period];
  if (!figures && snapshot.folded[period].has(series.eventName)) return undefined;
  return readingOf(metric, figures ? [figures] : []);
}
