import type { Alert } from '../alerts/alert.ts';
import { acceptedSpan, bandRange, expectedBands, type Past } from '../alerts/expected-band.ts';
import type { Note } from '../alerts/note.ts';
import type { Transition } from '../alerts/transitions.ts';
import { overlapsAny } from '../evaluation/baseline.ts';
import { type ExpectedBand, isModelled } from '../evaluation/expected-limits.ts';
import type { Readings } from '../readings/history.ts';
import type { SeriesKey } from '../readings/reading.ts';
import { boundsLevel, type FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import type { CalendarWindows } from '../time/calendar-windows.ts';
import { type Calendar, endAfter, type Grain, lastClosedWindow, type Window } from '../time/window.ts';

/** Number of windows shown: 2 weeks of hours, 8 weeks of days, a year of weeks, 2 years of months. */
export const WINDOWS_SHOWN: Record<Grain, number> = { hour: 14 * 24, day: 56, week: 52, month: 24 };

/** One window with its value and expected band; each is `null` if unknown. */
export interface ChartPoint {
  window: Window;
  value: number | null;
  band: ExpectedBand | null;
}

/** Data of one series chart, without colours or positions. */
export interface Chart {
  /** The rule's title. Untrusted text. */
  title: string;
  /** The segment shown, if the rule has segments. */
  part: string | null;
  unit: string;
  /** Whether values are ratios shown as percentages. */
  isShare: boolean;
  /** Whether the limits of the bands are what a model expects, and not bounds of the rule. */
  isModelled: boolean;
  /** What the expected line is: "expected", or where versions are compared "version before". */
  expected: string;
  calendar: Calendar;
  /** Consecutive windows, oldest first, from the first that has a value. */
  points: [ChartPoint, ...ChartPoint[]];
  breached: Window[];
  /** Spans in which the alert fired, clipped to the windows shown. */
  incidents: Window[];
  /** What happened meanwhile, oldest first; absent if nothing did. Later notes are listed but not drawn. */
  notes?: Note[];
}

export interface Shown {
  rule: FigureRule;
  segment: string | null;
  /** End of the last window. */
  throughAt: number;
  /** The number of windows, by default `WINDOWS_SHOWN`. */
  count?: number;
}

/** The range of window ends whose snapshots the charts of these alerts need. */
export function chartRange(shown: Omit<Shown, 'segment'>, alerts: Alert[], calendarWindows: CalendarWindows) {
  const windows = windowsOf(shown, calendarWindows);
  const ranges = alerts.map((alert) => bandRange(shown.rule, windows, { alert, calendarWindows }));
  const fromEndAt = Math.min(...ranges.map((range) => range.fromEndAt));
  return { fromEndAt, throughEndAt: Math.max(...ranges.map((range) => range.throughEndAt)) };
}

/** The chart of a series as of its last window; `undefined` if the series has no value. */
export function chartOf(shown: Shown, series: SeriesKey, past: Past): Chart | undefined {
  const { rule, segment } = shown;
  const { alert, history, calendarWindows } = past;
  const windows = windowsOf(shown, calendarWindows);
  const bands = expectedBands(rule, windows, series, past);
  const values = valuesOf(windows, rule, series, history);
  const all = windows.map((window, i) => ({ window, value: values[i] ?? null, band: bands[i] ?? null }));
  const begin = all.findIndex(({ value }) => value !== null);
  const [first, ...others] = begin < 0 ? [] : all.slice(begin);
  if (!first) return undefined;

  const points: Chart['points'] = [first, ...others];
  const accepted = acceptedSpan(alert);
  const fires = accepted ? [...alert.incidents, accepted] : alert.incidents;
  const verdictOf = knownVerdicts(alert, fires, calendarWindows);
  const isLevel = boundsLevel(rule) && rule.minimum.current === 0;
  const isBreached = (point: ChartPoint) =>
    verdictOf.get(point.window.endAt) ?? (isBeyond(point) && (isLevel || overlapsAny(point.window, fires)));
  const { startAt } = first.window;
  const endAt = (others.at(-1) ?? first).window.endAt;
  return {
    ...subjectOf(rule, segment),
    points,
    breached: points.filter(isBreached).map(({ window }) => window),
    incidents: fires
      .map((each) => ({ startAt: Math.max(each.startAt, startAt), endAt: Math.min(each.endAt, endAt) }))
      .filter((each) => each.startAt < each.endAt),
  };
}

/** The part of a chart that does not depend on readings. */
export type Subject = Pick<
  Chart,
  'title' | 'part' | 'unit' | 'isShare' | 'isModelled' | 'expected' | 'calendar'
>;

export function subjectOf(rule: FigureRule, segment: string | null): Subject {
  const { kind, unit } = metricOf(rule);
  return {
    title: rule.title,
    part: segment === '' ? '(none)' : segment,
    unit,
    isShare: kind === 'ratio',
    isModelled: isModelled(rule),
    expected: rule.baseline.to === 'previous_version' ? 'version before' : 'expected',
    calendar: { grain: rule.window, zone: rule.zone },
  };
}

export function windowsOf(
  { rule, throughAt, count = WINDOWS_SHOWN[rule.window] }: Omit<Shown, 'segment'>,
  calendarWindows: CalendarWindows,
): readonly Window[] {
  return calendarWindows.through(lastClosedWindow(throughAt, calendarWindows.calendar), count);
}

/** Values of consecutive windows, oldest first. */
export function valuesOf(
  windows: readonly Window[],
  rule: FigureRule,
  series: SeriesKey,
  history: Readings,
): (number | null)[] {
  const metric = metricOf(rule);
  return windows.map((window, i) => {
    const next = windows[i + 1];
    const own = history.reading(window, series, metric);
    // A comparison query also returns the previous window, which may not have been queried itself.
    const reading = own ?? (next && history.reading(next, series, metric, 'previous'));
    return reading?.value ?? null;
  });
}

function isBeyond({ value, band }: ChartPoint): boolean {
  return (
    value !== null && band !== null && (value < (band.low ?? -Infinity) || value > (band.high ?? Infinity))
  );
}

/**
 * Whether a window breached, by its end, as far as it is known. An alert drops its verdicts when it ends, so past
 * incidents are reconstructed from their spans and from sent notifications.
 */
function knownVerdicts(alert: Alert, fires: Window[], { calendar }: CalendarWindows): Map<number, boolean> {
  const { fired, suspected, last, recent } = alert;
  const known = [
    ...fires.map(({ startAt }) => endAfter(startAt, 1, calendar)),
    ...[fired, suspected].flatMap((each) => (each ? [each.firstEndAt, each.windowEndAt] : [])),
    ...notifiedFires(alert),
    ...(last?.verdict === 'breached' ? [last.current.window.endAt] : []),
  ];
  // A window that was re-evaluated may no longer breach.
  return new Map([
    ...known.map((endAt) => [endAt, true] as const),
    ...recent.map(({ endAt, verdict }) => [endAt, verdict === 'breached'] as const),
  ]);
}

/** Window ends of fires that were sent or are pending, except those retracted. */
function notifiedFires({ sent, pending }: Alert): number[] {
  const notifications = [...sent, ...Object.values(pending)];
  const newsOf = (wanted: Transition) => notifications.filter(({ transition }) => transition === wanted);
  const back = newsOf('retracted').map((each) => each.firedWindowEndAt ?? each.windowEndAt);
  return newsOf('fired').flatMap(({ windowEndAt }) => (back.includes(windowEndAt) ? [] : [windowEndAt]));
}
