import type { RowMetric } from '../rules/metric.ts';
import { lazyBy, lazyIn } from '../units/lazy.ts';
import type { Period, Reading, ReadingRow, SeriesKey, Snapshot } from './reading.ts';
import { readingOf } from './row-reading.ts';

/** The questions that a snapshot answers. Snapshots that answer the same share one object. */
export interface Shape {
  eventNames: ReadonlySet<string>;
  keys: readonly string[];
}

export interface IndexedSnapshot {
  startAt: number;
  endAt: number;
  readAt: number;
  isAlone: boolean;
  shape: Shape;
  /** Event names with folded segments. */
  folded: Record<Period, Set<string | undefined>>;
  /** The rows of the folded segments, by event name. */
  rest: Map<string | undefined, ReadingRow[]>;
  rows: Map<string, ReadingRow>;
}

/** Indexes a snapshot. Cached, as snapshots are immutable and every run uses hundreds of them. */
export const indexed = lazyBy(indexOf, new WeakMap<Snapshot, IndexedSnapshot>());

function indexOf(snapshot: Snapshot): IndexedSnapshot {
  return {
    startAt: snapshot.window.startAt,
    endAt: snapshot.window.endAt,
    readAt: snapshot.readAt,
    isAlone: snapshot.isAlone ?? false,
    shape: shapeOf(snapshot),
    folded: { current: foldedIn(snapshot, 'current'), previous: foldedIn(snapshot, 'previous') },
    rest: Map.groupBy(
      snapshot.rows.filter(({ isRest }) => isRest),
      ({ eventName }) => eventName,
    ),
    rows: new Map(snapshot.rows.filter(({ isRest }) => !isRest).map((row) => [rowKey(row), row])),
  };
}

const SHAPES = new Map<string, Shape>();

function shapeOf({ eventNames, keys }: Snapshot): Shape {
  const text = JSON.stringify([eventNames ?? null, keys]);
  return lazyIn(SHAPES, text, () => ({ eventNames: new Set(eventNames), keys }));
}

function foldedIn(snapshot: Snapshot, period: Period): Set<string | undefined> {
  return new Set(snapshot.rows.filter((row) => row.isRest && row[period]).map(({ eventName }) => eventName));
}

/** Whether the series has any figures. For a series with `outside`, whether its event has. `row` is its `rowKey`. */
export function isAlive(
  snapshot: IndexedSnapshot,
  { series, row }: { series: SeriesKey; row: string },
  keys: readonly string[],
  period: Period,
): boolean {
  const { eventName, outside } = series;
  const rows = outside
    ? [...snapshot.rows.values(), ...[...snapshot.rest.values()].flat()].filter(
        (each) => each.eventName === eventName,
      )
    : [snapshot.rows.get(row)].filter((each) => each !== undefined);
  return rows.some((each) => keys.some((key) => (each[period]?.[key] ?? 0) !== 0));
}

/** The figure of the smallest segment that is not folded, over all events: the service may rank by that sum. */
export function smallestKept(
  { rows }: IndexedSnapshot,
  eventName: string | undefined,
  key: string,
): number | undefined {
  const totals = new Map<string | undefined, number>();
  for (const { segment, current } of rows.values())
    totals.set(segment, (totals.get(segment) ?? 0) + (current?.[key] ?? 0));
  const ofEvent = [...rows.values()].filter((row) => row.eventName === eventName && row.current);
  const kept = ofEvent.map(({ segment }) => totals.get(segment) ?? 0);
  return kept.length > 0 ? Math.min(...kept) : undefined;
}

/**
 * All segments outside `series.outside` as one: counts are added, means are weighted. `undefined` if one of the excluded
 * segments may be folded, as its part of that row is unknown.
 */
export function restReading(
  snapshot: IndexedSnapshot,
  { eventName, outside }: SeriesKey & { outside: ReadonlySet<string> },
  metric: RowMetric,
  period: Period,
): Reading | undefined {
  const folded = snapshot.rest.get(eventName) ?? [];
  const isKnown = (segment: string) =>
    snapshot.rows.get(rowKey({ eventName, segment }))?.[period] !== undefined;
  if (folded.some((row) => row[period]) && ![...outside].every(isKnown)) return undefined;
  const rows = [...snapshot.rows.values()].filter(
    (row) => row.eventName === eventName && row.segment !== undefined && !outside.has(row.segment),
  );
  const figures = [...rows, ...folded].flatMap((row) => (row[period] ? [row[period]] : []));
  return readingOf(metric, figures);
}

type RowName = Partial<Record<'eventName' | 'segment', string | undefined>>;
export function rowKey({ eventName, segment }: RowName): string {
  return JSON.stringify([eventName ?? null, segment ?? null]);
}
