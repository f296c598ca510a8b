import { OTHERS } from '../contract/grouping.ts';
import { type Metric, type RowMetric, rowMetricOf } from '../rules/metric.ts';
import { METRICS } from '../rules/metrics.ts';
import type { Window } from '../time/window.ts';
import { lazyIn } from '../units/lazy.ts';
import { type IndexedSnapshot, rowKey, smallestKept } from './indexed-snapshot.ts';
import type { Period, Reading, SeriesKey, Snapshot } from './reading.ts';
import { figuresOf, keysOf, type Line, partsOf, readOff } from './series-line.ts';
import {
  type Asked,
  Coverage,
  eventOf,
  isBeforeStart,
  rememberedKey,
  SeriesStarts,
} from './series-starts.ts';
import { Snapshots } from './snapshots.ts';

/** Keys of means. Answers are never ranked by them. */
const MEANS = new Set<string>(
  Object.values(METRICS).flatMap(({ kind, key }) => (kind === 'mean' ? [key] : [])),
);

/** The part of a history that evaluation needs. */
export type Readings = Pick<History, 'reading'> &
  Partial<Pick<History, 'atMost' | 'seenSince' | 'newSince' | 'snapshotsAt'>>;

/** Reads the snapshots of one family by window, event name and segment. */
export class History {
  readonly #kept = new Snapshots();
  /** By the array of keys and the event name. */
  #coverages = new WeakMap<readonly string[], Map<string | undefined, Coverage>>();
  #starts: SeriesStarts;
  /** When series were first seen according to their alerts, by row and keys. For new users it is days later. */
  readonly #remembered = new Map<string, number>();
  /** By series object. The evaluation of one window asks for the same one hundreds of times. */
  #lines = new WeakMap<SeriesKey, Map<string, Line>>();
  #line: Line | undefined;

  constructor(snapshots: Snapshot[]) {
    for (const snapshot of snapshots) this.#kept.add(snapshot);
    this.#starts = new SeriesStarts(this.#kept, this.#remembered);
  }

  add(snapshot: Snapshot): void {
    this.#kept.add(snapshot);
    this.#forgetStarts();
  }

  /** Sets when a series was first seen, as the loaded snapshots may not reach back that far. */
  remember(series: SeriesKey, metric: Metric, seenSinceAt: number): void {
    if (series.zeroBefore) return;
    const parts = Object.values(partsOf(series) ?? { series }).filter(({ outside }) => !outside);
    const keys = figuresOf(rowMetricOf(metric)).map(keysOf);
    for (const known of parts.flatMap((part) => keys.map((each) => rememberedKey(part, each)))) {
      if ((this.#remembered.get(known) ?? Infinity) <= seenSinceAt) continue;
      this.#remembered.set(known, seenSinceAt);
      this.#forgetStarts();
    }
  }

  #forgetStarts(): void {
    this.#starts = new SeriesStarts(this.#kept, this.#remembered);
    this.#lines = new WeakMap();
    this.#line = undefined;
  }

  /** When the known windows of a series start; `-Infinity` if it has figures in the oldest snapshot. */
  seenSince(series: SeriesKey, metric: Metric): number {
    const plain = rowMetricOf(metric);
    const parts = Object.values(partsOf(series) ?? { series });
    return Math.max(...parts.map((part) => this.#lineOf(part, plain).sinceAt));
  }

  /** When a segment started that is younger than its event; `undefined` if it is not younger, or unknown. */
  newSince(series: SeriesKey, metric: Metric): number | undefined {
    if (series.segment === undefined) return undefined;
    const { segment: _, ...event } = series;
    const sinceAt = this.seenSince(series, metric);
    const parts = Object.values(partsOf(event) ?? { event }).map(eventOf);
    const eventSinceAt = Math.max(...parts.map((part) => this.seenSince(part, metric)));
    return sinceAt > eventSinceAt ? sinceAt : undefined;
  }

  /** Whether snapshots of `window` have all `keys` for each of these events, or for all events if the list is empty. */
  covers(window: Window, eventNames: string[], keys: string[]): boolean {
    return this.readAt(window, eventNames, keys) !== undefined;
  }

  /** When `window` was last read by snapshots that cover the same; `undefined` if none does. */
  readAt(window: Window, eventNames: string[], keys: string[]): number | undefined {
    const snapshots = this.#kept.at(window.endAt);
    if (snapshots.length === 0) return undefined;
    let readAt = Infinity;
    for (const eventName of eventNames.length > 0 ? eventNames : ANY_EVENT) {
      const coverage = this.#coverageOf(eventName, keys);
      const newest = snapshots.find((snapshot) => coverage.has(snapshot));
      if (!newest) return undefined;
      readAt = Math.min(readAt, newest.readAt);
    }
    return readAt;
  }

  /** The snapshots of a window, newest first: the same objects until it is read again, in other histories too. */
  snapshotsAt(endAt: number): readonly IndexedSnapshot[] {
    return this.#kept.at(endAt);
  }

  /** The number of rows of the largest snapshot; 0 if there is none. */
  mostRows(): number {
    const snapshots = this.#kept.inOrder().flat();
    return snapshots.reduce((most, { rows }) => Math.max(most, rows.size), 0);
  }

  /**
   * The reading of the series in `window` from its newest snapshot, or of the window before it.
   * `undefined` if the window was not read, is before the start of the series, or may have folded the segment.
   * A count without a row is zero. A mean without rows and a ratio to zero have the value `null`.
   */
  reading(window: Window, series: SeriesKey, metric: Metric, asked: Asked = 'current'): Reading | undefined {
    if (metric.kind === 'ratio' && metric.counted) return this.#ratio(window, series, metric.counted, asked);
    const line = this.#lineOf(series, rowMetricOf(metric));
    if (isBeforeStart(window, asked, line.sinceAt)) return undefined;
    if (typeof asked === 'number')
      return readOff(this.#covered(window.endAt, line.coverage)[asked], 'current', line);
    return this.#newest(window, asked, line);
  }

  /** The earlier readings of a window that was read more than once, oldest first. */
  earlier(window: Window, series: SeriesKey, metric: Metric): Reading[] {
    const reads = this.#snapshotsOf(window.endAt, series.eventName, metric).length;
    if (reads < 2) return [];
    const agos = Array.from({ length: reads - 1 }, (_, i) => reads - 1 - i);
    return agos.flatMap((ago) => this.reading(window, series, metric, ago) ?? []);
  }

  /**
   * The most that a folded segment can have in `window`: the figure of the smallest segment that is not folded.
   * `undefined` if the answer is ranked by other figures or by many windows.
   */
  atMost(window: Window, series: SeriesKey, metric: Metric): number | undefined {
    if (metric.kind !== 'count' || 'computed' in metric || series.segment === undefined) return undefined;
    const [snapshot] = this.#snapshotsOf(window.endAt, series.eventName, metric);
    const ranking = snapshot?.shape.keys.filter((key) => !MEANS.has(key)).toSorted()[0];
    if (!snapshot?.folded.current.has(series.eventName) || snapshot.isAlone || ranking !== metric.key)
      return undefined;
    // Folded by two attributes, a segment may be larger than others that are not.
    if (snapshot.rest.get(series.eventName)?.some(({ segment }) => (segment ?? OTHERS) !== OTHERS))
      return undefined;
    return smallestKept(snapshot, series.eventName, metric.key);
  }

  /** The size of each segment with figures in `window`: its count, or the weight of its mean. */
  segments(window: Window, eventName: string | undefined, metric: Metric): Map<string, number> {
    const [snapshot] = this.#snapshotsOf(window.endAt, eventName, metric);
    const rows = [...(snapshot?.rows.values() ?? [])].filter((row) => row.eventName === eventName);
    const { key } = 'weight' in metric ? metric.weight : metric;
    return new Map(
      rows.flatMap(({ segment, current, previous }) => {
        const size = Math.max(current?.[key] ?? 0, previous?.[key] ?? 0);
        return segment === undefined || size === 0 ? [] : [[segment, size]];
      }),
    );
  }

  /** Whether some segments of `window` are folded into one row, because there are too many. */
  isFolded(window: Window, eventName: string | undefined, metric: Metric): boolean {
    const [snapshot] = this.#snapshotsOf(window.endAt, eventName, metric);
    return snapshot?.rest.has(eventName) ?? false;
  }

  #ratio(window: Window, series: SeriesKey, counted: RowMetric, asked: Asked): Reading | undefined {
    const parts = partsOf(series);
    if (!parts) return undefined;
    const of = this.reading(window, parts.of, counted, asked)?.value;
    const to = this.reading(window, parts.to, counted, asked)?.value;
    if (of == null || to == null) return undefined;
    return { value: to > 0 ? of / to : null, weight: to };
  }

  /** From the newest snapshot. If it lacks the window before its own, from the snapshot of that window. */
  #newest(window: Window, period: Period, line: Line): Reading | undefined {
    const [snapshot] = this.#covered(window.endAt, line.coverage);
    if (!snapshot) return undefined;
    if (period === 'previous' && snapshot.isAlone)
      return this.#newest({ startAt: window.startAt, endAt: window.startAt }, 'current', line);
    return readOff(snapshot, period, line);
  }

  #lineOf(series: SeriesKey, metric: RowMetric): Line {
    if (this.#line?.series === series && this.#line.metric === metric) return this.#line;
    const lines = lazyIn(this.#lines, series, () => new Map<string, Line>());
    const line = lazyIn(lines, metric.key, () => {
      const coverage = this.#coverageOf(series.eventName, keysOf(metric));
      return { series, metric, row: rowKey(series), coverage, sinceAt: this.#startOf(series, metric) };
    });
    this.#line = line;
    return line;
  }

  /** A computed metric starts when all of its figures have. */
  #startOf(series: SeriesKey, metric: RowMetric): number {
    const figures = figuresOf(metric);
    return Math.max(
      ...figures.map((each) => this.#starts.of(series, this.#coverageOf(series.eventName, keysOf(each)))),
    );
  }

  #coverageOf(eventName: string | undefined, keys: readonly string[]): Coverage {
    const ofKeys = lazyIn(this.#coverages, keys, () => new Map<string | undefined, Coverage>());
    return lazyIn(ofKeys, eventName, () => new Coverage(eventName, keys));
  }

  /** The snapshots that have the figure of the metric, newest first. */
  #snapshotsOf(endAt: number, eventName: string | undefined, { key }: Metric): readonly IndexedSnapshot[] {
    return this.#covered(endAt, new Coverage(eventName, [key]));
  }

  /** The snapshots with this coverage, newest first. */
  #covered(endAt: number, coverage: Coverage): readonly IndexedSnapshot[] {
    return coverage.among(this.#kept.at(endAt));
  }
}

const ANY_EVENT = [undefined];
