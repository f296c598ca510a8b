import { type Alert, newAlert } from './alert.ts';
import type { Almanac } from './almanac.ts';
import { bandRange, type ExpectedBand, expectedBands, type Past } from './expected-band.ts';
import type { Readings } from './history.ts';
import { metricOf } from './metrics.ts';
import type { SeriesKey } from './reading.ts';
import type { FigureRule } from './rule.ts';
import { type Calendar, type Grain, lastClosedWindow, type Window } from './window.ts';

/** Windows that a chart shows: 2 weeks of hours, 8 of days, a year of weeks, 2 years of months. */
const SHOWN: Record<Grain, number> = { hour: 14 * 24, day: 56, week: 52, month: 24 };

/** One window with its figure and what was expected of it; each `null` where it is not known. */
export interface ChartPoint {
  window: Window;
  value: number | null;
  band: ExpectedBand | null;
}

/** What is drawn of one series: a model without colours or places. */
export interface Chart {
  /** The rule, and the segment where it has some. Any text: people write it. */
  title: string;
  unit: string;
  /** Whether figures are parts of a whole, told as percentages. */
  isShare: boolean;
  calendar: Calendar;
  /** Consecutive windows, oldest first, from the first that has a value. */
  points: [ChartPoint, ...ChartPoint[]];
  /** Those of the windows that breached. */
  breached: Window[];
  /** Spans in which the alert fired, cut to the windows that are shown. */
  incidents: Window[];
}

/** Which windows of which series are drawn. */
export interface Shown {
  rule: FigureRule;
  segment: string | null;
  /** End of the last window. */
  throughAt: number;
}

/** The range of window ends whose sheets are needed to draw this. */
export function chartRange(shown: Shown, alert: Alert | undefined, almanac: Almanac) {
  const past = { alert: alert ?? unseen(shown), almanac };
  return bandRange(shown.rule, windowsOf(shown, almanac), past);
}

/** A series as it was known when its last window was judged; `undefined` where it has no figure at all. */
export function chartOf(
  shown: Shown,
  series: SeriesKey,
  { history, alert = unseen(shown), almanac }: Omit<Past, 'alert'> & { alert: Alert | undefined },
): Chart | undefined {
  const { rule, segment } = shown;
  const windows = windowsOf(shown, almanac);
  const bands = expectedBands(rule, windows, series, { history, alert, almanac });
  const values = valuesOf(windows, rule, series, history);
  const all = windows.map((window, i) => ({ window, value: values[i] ?? null, band: bands[i] ?? null }));
  const known = all.findIndex(({ value }) => value !== null);
  const [first, ...others] = known < 0 ? [] : all.slice(known);
  if (!first) return undefined;

  const breaches = breachedEnds(alert);
  const isBreach = (each: Window) =>
    breaches.has(each.endAt) || alert.incidents.some((incident) => incident.startAt === each.startAt);
  const { startAt } = first.window;
  const endAt = (others.at(-1) ?? first).window.endAt;
  return {
    title: titleOf(rule, segment),
    ...measureOf(rule),
    points: [first, ...others],
    breached: windows.filter((each) => each.startAt >= startAt && isBreach(each)),
    incidents: alert.incidents
      .map((each) => ({ startAt: Math.max(each.startAt, startAt), endAt: Math.min(each.endAt, endAt) }))
      .filter((each) => each.startAt < each.endAt),
  };
}

/** What a chart of the rule measures, and by which calendar. */
export function measureOf(rule: FigureRule): Pick<Chart, 'unit' | 'isShare' | 'calendar'> {
  const { kind, unit } = metricOf(rule);
  return { unit, isShare: kind === 'ratio', calendar: { grain: rule.window, zone: rule.zone } };
}

export function titleOf(rule: FigureRule, segment: string | null): string {
  return segment === null ? rule.title : `${rule.title}: ${segment || '(none)'}`;
}

function windowsOf({ rule, throughAt }: Shown, almanac: Almanac): Window[] {
  return almanac.through(lastClosedWindow(throughAt, almanac.calendar), SHOWN[rule.window]);
}

/** The figures of consecutive windows, oldest first. */
function valuesOf(
  windows: Window[],
  rule: FigureRule,
  series: SeriesKey,
  history: Readings,
): (number | null)[] {
  const metric = metricOf(rule);
  return windows.map((window, i) => {
    const next = windows[i + 1];
    const own = history.reading(window, series, metric);
    // A compared answer tells of the window before its own, which nobody may have asked for by itself.
    const reading = own ?? (next && history.reading(next, series, metric, 'previous'));
    return reading?.value ?? null;
  });
}

/** Ends of the windows that are known to have breached, besides the first of each incident. */
function breachedEnds({ recent, fired, suspected, last, announced, owed }: Alert): Set<number> {
  const told = [...announced, ...Object.values(owed)].filter(({ transition }) => transition === 'fired');
  return new Set([
    ...recent.filter(({ verdict }) => verdict === 'breached').map(({ endAt }) => endAt),
    ...[fired, suspected].flatMap((each) => (each ? [each.firstEndAt, each.windowEndAt] : [])),
    ...(last?.verdict === 'breached' ? [last.window.endAt] : []),
    ...told.map(({ windowEndAt }) => windowEndAt),
  ]);
}

function unseen({ rule, segment }: Shown): Alert {
  return newAlert({ ruleId: rule.id, segment }, '', 0);
}
