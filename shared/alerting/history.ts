import { MINIMUM_PAIRS } from '../statistics/counts.ts';
import type { Fired } from './alert.ts';
import type { WindowReading } from './gates.ts';
import type { Evidence } from './judge.ts';
import { type Metric, metricOf } from './metrics.ts';
import type { Reading, ReadingRow, SeriesKey, Sheet } from './reading.ts';
import type { Rule } from './rule.ts';
import {
  type Calendar,
  type Grain,
  type Window,
  windowBefore,
  windowsBack,
  windowWeeksBefore,
} from './window.ts';

/** How many earlier windows the usual spread of a series is learned from. */
const PAST_WINDOWS: Record<Grain, number> = { hour: 72, day: 56, week: 26, month: 12 };

/** What the sheets of one family say, by window, event name and segment. */
export class History {
  readonly #byWindow = new Map<number, IndexedSheet[]>();

  constructor(sheets: Sheet[]) {
    for (const sheet of sheets) this.add(sheet);
  }

  add(sheet: Sheet): void {
    const same = this.#byWindow.get(sheet.window.endAt) ?? [];
    same.push(indexed(sheet));
    this.#byWindow.set(sheet.window.endAt, same);
  }

  /** Whether a kept sheet of `window` answers for the series' event name and all of `keys`. */
  covers(window: Window, eventName: string | undefined, keys: string[]): boolean {
    return this.#sheets(window, eventName, keys).length > 0;
  }

  /**
   * The series' reading of `window` (or of the one before it, as that window's sheet has it). `undefined` where
   * nobody asked; a count that was asked for and has no row is zero, a mean without rows has no value.
   */
  reading(
    window: Window,
    series: SeriesKey,
    metric: Metric,
    period: 'current' | 'previous' = 'current',
  ): Reading | undefined {
    const keys = metric.kind === 'mean' ? [metric.key, metric.weight.key] : [metric.key];
    const [sheet] = this.#sheets(window, series.eventName, keys);
    if (!sheet) return undefined;
    const figures = sheet.rows.get(rowKey(series))?.[period];
    if (metric.kind === 'count') return { value: figures?.[metric.key] ?? 0, weight: null };
    const weight = figures?.[metric.weight.key] ?? 0;
    return { value: weight > 0 ? (figures?.[metric.key] ?? null) : null, weight };
  }

  /** The segments that had a row in `window`. */
  segments(window: Window, eventName: string | undefined, metric: Metric): string[] {
    const [sheet] = this.#sheets(window, eventName, [metric.key]);
    return sheet
      ? [...sheet.rows.values()]
          .filter((row) => row.eventName === eventName)
          .flatMap((row) => row.segment ?? [])
      : [];
  }

  #sheets(window: Window, eventName: string | undefined, keys: string[]): IndexedSheet[] {
    return (this.#byWindow.get(window.endAt) ?? []).filter(
      (sheet) =>
        (eventName === undefined || sheet.eventNames.has(eventName)) &&
        keys.every((key) => sheet.keys.includes(key)),
    );
  }
}

interface IndexedSheet {
  eventNames: Set<string>;
  keys: string[];
  rows: Map<string, ReadingRow>;
}

function indexed(sheet: Sheet): IndexedSheet {
  return {
    eventNames: new Set(sheet.eventNames),
    keys: sheet.keys,
    rows: new Map(sheet.rows.map((row) => [rowKey(row), row])),
  };
}

function rowKey({ eventName, segment }: SeriesKey): string {
  return JSON.stringify([eventName ?? null, segment ?? null]);
}

/**
 * The window that `window` is held against. While an alert fires its baseline is frozen: never a window from
 * the incident itself, so that a bad level cannot become the new reference.
 */
export function baselineWindow(rule: Rule, window: Window, fired: Fired | null): Window {
  const calendar = calendarOf(rule);
  if (rule.compare.to === 'previous_period') return fired?.baselineWindow ?? windowBefore(window, calendar);
  for (let weeks = 1; ; weeks++) {
    const candidate = windowWeeksBefore(window, weeks, calendar);
    if (!fired || candidate.endAt < fired.windowEndAt) return candidate;
  }
}

/** The ranges of window ends whose sheets are needed to judge `windows` (oldest first), to be loaded before. */
export function historyRanges(
  rule: Rule,
  windows: Window[],
  fired: Fired[],
): { fromEndAt: number; throughEndAt: number }[] {
  const [first, last] = [windows[0], windows.at(-1)];
  if (!first || !last) return [];
  const calendar = calendarOf(rule);
  const past = windowsBack(first, PAST_WINDOWS[rule.window], calendar);
  const ranges = [{ fromEndAt: past.endAt, throughEndAt: last.endAt }];
  if (rule.compare.to === 'previous_period') return ranges;

  const lagged = (window: Window) => windowWeeksBefore(window, 1, calendar).endAt;
  ranges.push({ fromEndAt: lagged(past), throughEndAt: lagged(last) });
  for (const each of fired)
    ranges.push({
      fromEndAt: baselineWindow(rule, first, each).endAt,
      throughEndAt: baselineWindow(rule, last, each).endAt,
    });
  return ranges;
}

/** Everything known about one window of one series, for the judge. */
export function evidenceFor(
  rule: Rule,
  window: Window,
  series: SeriesKey,
  context: { history: History; fired: Fired | null; newestDataAt: number },
): Evidence | undefined {
  const { history, fired, newestDataAt } = context;
  const metric = metricOf(rule.metric);
  const current = history.reading(window, series, metric);
  const previous = history.reading(window, series, metric, 'previous');
  if (!current || !previous) return undefined;
  return {
    current: { window, reading: current },
    baseline: baselineReading(rule, window, series, context),
    previous,
    past: pastPairs(rule, fired ? fired.windowEndAt : window.endAt, series, history),
    newestDataAt,
    fired,
  };
}

function baselineReading(
  rule: Rule,
  window: Window,
  series: SeriesKey,
  { history, fired }: { history: History; fired: Fired | null },
): WindowReading | undefined {
  const metric = metricOf(rule.metric);
  const base = baselineWindow(rule, window, fired);
  if (rule.compare.to === 'previous_period') {
    const reading = fired ? fired.baseline : history.reading(window, series, metric, 'previous');
    return reading && { window: base, reading };
  }
  const reading = history.reading(base, series, metric);
  return reading && { window: base, reading };
}

/**
 * Pairs of readings from the windows before the one that ends at `endAt`, newest first: at the rule's lag or, as long
 * as these are too few, at the lag of one window. Neighbours differ by more than weekdays do, which errs to silence.
 */
function pastPairs(rule: Rule, endAt: number, series: SeriesKey, history: History): Evidence['past'] {
  const windows = windowsBefore(rule, endAt);
  const neighbours = () => pairsOf(windows, rule, series, history, 'previous_period');
  if (rule.compare.to === 'previous_period') return neighbours();
  const lagged = pairsOf(windows, rule, series, history, rule.compare.to);
  return lagged.length < MINIMUM_PAIRS ? neighbours() : lagged;
}

function pairsOf(
  windows: Window[],
  rule: Rule,
  series: SeriesKey,
  history: History,
  lag: Rule['compare']['to'],
): Evidence['past'] {
  const metric = metricOf(rule.metric);
  const calendar = calendarOf(rule);
  return windows.flatMap((window) => {
    const isNeighbour = lag === 'previous_period';
    const before = isNeighbour ? windowBefore(window, calendar) : windowWeeksBefore(window, 1, calendar);
    const current = history.reading(window, series, metric);
    const baseline = isNeighbour
      ? history.reading(window, series, metric, 'previous')
      : history.reading(before, series, metric);
    if (!current || !baseline) return [];
    return [{ current: { window, reading: current }, baseline: { window: before, reading: baseline } }];
  });
}

function windowsBefore(rule: Rule, endAt: number): Window[] {
  const calendar = calendarOf(rule);
  const windows = [windowsBack({ startAt: endAt, endAt }, 2, calendar)];
  while (windows.length < PAST_WINDOWS[rule.window])
    windows.push(windowBefore(windows.at(-1) as Window, calendar));
  return windows;
}

function calendarOf(rule: Rule): Calendar {
  return { grain: rule.window, zone: rule.zone };
}
