import { METRICS, type Metric } from '../rules/metrics.ts';
import type { CalendarWindows } from '../time/calendar-windows.ts';
import { minuteOf } from '../time/minutes.ts';
import type { Window } from '../time/window.ts';
import { CachedPairs, type PairsAsked } from './cached-pairs.ts';
import { type IndexedSnapshot, type Period, rowKey, smallestKept } from './indexed-snapshot.ts';
import type { Reading, SeriesKey, Snapshot } from './reading.ts';
import { keysOf, type Line, type PlainMetric, partsOf, readOff } from './series-line.ts';
import { type Asked, isBeforeStart } from './series-start.ts';
import { eventOf, rememberedKey, SeriesStarts } from './series-starts.ts';
import { Coverage } from './snapshot-coverage.ts';
import { type Ends, SnapshotCache, type Snapshots } from './snapshots.ts';

/** Keys of means, by which no answer is ranked. */
const MEANS = new Set<string>(
  Object.values(METRICS).flatMap((metric: Metric) => (metric.kind === 'mean' ? [metric.key] : [])),
);

/** What a judge asks of the past. */
export type Readings = Pick<History, 'reading'> &
  Partial<Pick<History, 'atMost' | 'pairs' | 'seenSince' | 'newSince'>>;

/** What the sheets of one family say, by window, event name and segment. */
export class History {
  readonly #kept: Snapshots;
  /** By the keys, as objects, and the event. */
  #coverages = new WeakMap<readonly string[], Map<string | undefined, Coverage>>();
  #births: SeriesStarts;
  /** When series were first seen, as their alerts remember it, by row and figures: of new users it is days later. */
  readonly #remembered = new Map<string, number>();
  /** By series, as objects: whoever judges a window asks for one of them hundreds of times. */
  #lines = new WeakMap<SeriesKey, Map<string, Line>>();
  /** The one that was asked for last. */
  #line: Line | undefined;

  constructor(snapshots: Snapshot[] | Snapshots) {
    this.#kept = Array.isArray(snapshots) ? new SnapshotCache() : snapshots;
    if (Array.isArray(snapshots)) for (const snapshot of snapshots) this.#kept.add(snapshot);
    this.#births = new SeriesStarts(this.#kept, this.#remembered);
  }

  add(snapshot: Snapshot): void {
    this.#kept.add(snapshot);
    this.#forgetBirths();
  }

  /** Takes over when a series was first seen: what is kept may not reach back that far. */
  remember(series: SeriesKey, metric: Metric, seenSinceAt: number): void {
    if (series.zeroBefore) return;
    const keys = keysOf(metric.kind === 'ratio' ? metric.counted : metric);
    const parts = Object.values(partsOf(series) ?? { series }).filter(({ outside }) => !outside);
    for (const known of parts.map((part) => rememberedKey(part, keys))) {
      if ((this.#remembered.get(known) ?? Infinity) <= seenSinceAt) continue;
      this.#remembered.set(known, seenSinceAt);
      this.#forgetBirths();
    }
  }

  #forgetBirths(): void {
    this.#births = new SeriesStarts(this.#kept, this.#remembered);
    this.#lines = new WeakMap();
    this.#line = undefined;
  }

  /** From when on the windows of a series are known; `-Infinity` where they are as far back as anything was read. */
  seenSince(series: SeriesKey, metric: Metric): number {
    const plain = metric.kind === 'ratio' ? metric.counted : metric;
    const parts = Object.values(partsOf(series) ?? { series });
    return Math.max(...parts.map((part) => this.#lineOf(part, plain).seriesStart.sinceAt));
  }

  /** Since when there is a segment that is younger than its event; `undefined` where it is not, or nobody knows. */
  newSince(series: SeriesKey, metric: Metric): number | undefined {
    if (series.segment === undefined) return undefined;
    const { segment: _, ...event } = series;
    const sinceAt = this.seenSince(series, metric);
    const parts = Object.values(partsOf(event) ?? { event }).map(eventOf);
    const eventSinceAt = Math.max(...parts.map((part) => this.seenSince(part, metric)));
    return sinceAt > eventSinceAt ? sinceAt : undefined;
  }

  /** Whether kept sheets of `window` answer all of `keys` for each of these events; for everything if none is named. */
  covers(window: Window, eventNames: string[], keys: string[]): boolean {
    return this.readAt(window, eventNames, keys) !== undefined;
  }

  /** When `window` was read last by sheets that cover the same; `undefined` where none does. */
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

  /**
   * The windows that end between `fromEndAt` and `throughEndAt` and are not covered, the newest first. What was found to
   * be covered is not looked at again, however many runs share the sheets: a season is told thousands of windows.
   */
  uncovered({ fromEndAt, throughEndAt }: Ends, asked: Asking, calendarWindows: CalendarWindows): Window[] {
    const question = JSON.stringify([asked.eventNames, asked.keys]);
    const answered = this.#kept.answered.get(question) ?? [];
    const passed: Ends[] = [];
    const uncovered: Window[] = [];
    let window = calendarWindows.ending(throughEndAt);
    while (window.endAt >= fromEndAt) {
      const { endAt } = window;
      const span = answered.find((each) => each.fromEndAt <= endAt && endAt <= each.throughEndAt);
      if (span) {
        passed.push(span);
        window = calendarWindows.ending(span.fromEndAt);
      } else if (!this.covers(window, asked.eventNames, asked.keys)) uncovered.push(window);
      window = calendarWindows.before(window);
    }
    if (uncovered.length > 0) return uncovered;
    const whole = {
      fromEndAt: Math.min(fromEndAt, ...passed.map((each) => each.fromEndAt)),
      throughEndAt: Math.max(throughEndAt, ...passed.map((each) => each.throughEndAt)),
    };
    this.#kept.answered.set(question, [...answered.filter((each) => !passed.includes(each)), whole]);
    return uncovered;
  }

  /** Rows of the sheet that has most; 0 where there is none. */
  mostRows(): number {
    const snapshots = this.#kept.inOrder().flat();
    return snapshots.reduce((most, { rows }) => Math.max(most, rows.size), 0);
  }

  /**
   * The series' reading of `window` (or of the one before it, as that window's sheet has it) by the newest sheet.
   * `undefined` where nobody asked, before the series began, or where the segment may be among those that were
   * folded; a count that was asked for and has no row is zero, a mean without rows and a ratio to nothing have no value.
   */
  reading(window: Window, series: SeriesKey, metric: Metric, asked: Asked = 'current'): Reading | undefined {
    if (metric.kind === 'ratio') return this.#ratio(window, series, metric.counted, asked);
    const line = this.#lineOf(series, metric);
    if (isBeforeStart(window, asked, line.seriesStart)) return undefined;
    if (typeof asked === 'number')
      return readOff(this.#covered(window.endAt, line.coverage)[asked], 'current', line);
    return this.#newest(window, asked, line);
  }

  /** The pairs of past windows that earlier runs made of this series and that still hold; `undefined` where none are kept. */
  pairs(made: PairsAsked, series: SeriesKey, metric: Metric): CachedPairs | undefined {
    const kept = series.outside ? undefined : this.#kept.pairs?.(made);
    if (!kept) return undefined;
    const sinceAt = this.seenSince(series, metric);
    return new CachedPairs(kept, (endAt) => endAt > sinceAt && this.#kept.sees(endAt));
  }

  /** The other readings of `window`, the first one first, where it was read more than once. */
  earlier(window: Window, series: SeriesKey, metric: Metric): Reading[] {
    const times = this.#sheets(window.endAt, series.eventName, metric).length;
    if (times < 2) return [];
    const agos = Array.from({ length: times - 1 }, (_, i) => times - 1 - i);
    return agos.flatMap((ago) => this.reading(window, series, metric, ago) ?? []);
  }

  /**
   * The most that a segment can have had in `window` which is folded into the rest: as much as the smallest that is
   * not. `undefined` where figures are not what the answer was ranked by, or where it was ranked by many windows.
   */
  atMost(window: Window, series: SeriesKey, metric: Metric): number | undefined {
    if (metric.kind !== 'count' || series.segment === undefined) return undefined;
    const [snapshot] = this.#sheets(window.endAt, series.eventName, metric);
    const ranking = snapshot?.shape.keys.filter((key) => !MEANS.has(key)).toSorted()[0];
    if (!snapshot?.folded.current.has(series.eventName) || snapshot.isAlone || ranking !== metric.key)
      return undefined;
    return smallestKept(snapshot, series.eventName, metric.key);
  }

  /** How large each segment is that had figures in `window`: what was counted, or the weight of a mean. */
  segments(window: Window, eventName: string | undefined, metric: Metric): Map<string, number> {
    const [snapshot] = this.#sheets(window.endAt, eventName, metric);
    const rows = [...(snapshot?.rows.values() ?? [])].filter((row) => row.eventName === eventName);
    const key = metric.kind === 'mean' ? metric.weight.key : metric.key;
    return new Map(
      rows.flatMap(({ segment, current, previous }) => {
        const size = Math.max(current?.[key] ?? 0, previous?.[key] ?? 0);
        return segment === undefined || size === 0 ? [] : [[segment, size]];
      }),
    );
  }

  /** Whether some segments of `window` were folded into one row, as there were more than were asked for. */
  isFolded(window: Window, eventName: string | undefined, metric: Metric): boolean {
    const [snapshot] = this.#sheets(window.endAt, eventName, metric);
    return snapshot?.rest.has(eventName) ?? false;
  }

  #ratio(window: Window, series: SeriesKey, counted: PlainMetric, asked: Asked): Reading | undefined {
    const parts = partsOf(series);
    if (!parts) return undefined;
    const of = this.reading(window, parts.of, counted, asked)?.value;
    const to = this.reading(window, parts.to, counted, asked)?.value;
    if (of == null || to == null) return undefined;
    return { value: to > 0 ? of / to : null, weight: to };
  }

  /** By the newest sheet: one that stands alone leaves the window before its own to that of that one. */
  #newest(window: Window, period: Period, line: Line): Reading | undefined {
    const known = line.notified?.[period];
    const found = known && this.#kept.sees(window.endAt) ? known.get(minuteOf(window.endAt)) : undefined;
    if (found !== undefined) return found ?? undefined;
    const [snapshot] = this.#covered(window.endAt, line.coverage);
    if (!snapshot) return undefined;
    if (period === 'previous' && snapshot.isAlone)
      return this.#newest({ startAt: window.startAt, endAt: window.startAt }, 'current', line);
    const reading = readOff(snapshot, period, line);
    known?.set(minuteOf(window.endAt), reading ?? null);
    return reading;
  }

  #lineOf(series: SeriesKey, metric: PlainMetric): Line {
    if (this.#line?.series === series && this.#line.metric === metric) return this.#line;
    const lines = this.#lines.get(series) ?? new Map<string, Line>();
    const line = lines.get(metric.key) ?? this.#newLine(series, metric);
    this.#lines.set(series, lines.set(metric.key, line));
    this.#line = line;
    return line;
  }

  #newLine(series: SeriesKey, metric: PlainMetric): Line {
    const row = rowKey(series);
    const coverage = this.#coverageOf(series.eventName, keysOf(metric));
    // Which segments lie outside of those that are watched changes from run to run.
    const notified = series.outside ? undefined : this.#kept.notified(`${row} ${coverage.keys}`);
    return { series, metric, row, coverage, notified, seriesStart: this.#births.of(series, coverage) };
  }

  #coverageOf(eventName: string | undefined, keys: readonly string[]): Coverage {
    const ofKeys = this.#coverages.get(keys) ?? new Map<string | undefined, Coverage>();
    const coverage = ofKeys.get(eventName) ?? new Coverage(eventName, keys);
    this.#coverages.set(keys, ofKeys.set(eventName, coverage));
    return coverage;
  }

  /** Those that answer the metric's own figure, the newest first. */
  #sheets(endAt: number, eventName: string | undefined, { key }: Metric): readonly IndexedSnapshot[] {
    return this.#covered(endAt, new Coverage(eventName, [key]));
  }

  /** The newest first. */
  #covered(endAt: number, coverage: Coverage): readonly IndexedSnapshot[] {
    return coverage.among(this.#kept.at(endAt));
  }
}

const ANY_EVENT = [undefined];

/** What a rule asks of a window. */
interface Asking {
  eventNames: string[];
  keys: string[];
}
