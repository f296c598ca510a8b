import type { Readings } from '../readings/history.ts';
import type { Baseline, Reading, SeriesKey, WindowReading } from '../readings/reading.ts';
import type { FigureRule } from '../rules/rule.ts';
import { metricOf } from '../rules/watched-metric.ts';
import { median } from '../statistics/dispersion.ts';
import type { CalendarWindows } from '../time/calendar-windows.ts';
import { holidayIn } from '../time/holiday-calendar.ts';
import { hoursOf, type Window, windowsBack } from '../time/window.ts';
import { WEEK_MS } from '../units/durations.ts';
import type { Fired } from './fired.ts';

/** Windows that no baseline uses: incidents, and those before a rebaselined level or the start of the series. */
export interface Memory {
  fired: Fired | null;
  suspected: Fired | null;
  incidents: Window[];
  levelSinceAt: number | null;
  seenSinceAt?: number | undefined;
}

export const NO_MEMORY: Memory = { fired: null, suspected: null, incidents: [], levelSinceAt: null };

/** The memory with times that are no part of any baseline either. */
export function outside(silences: readonly Window[]): (memory: Memory) => Memory {
  return (memory) => ({ ...memory, incidents: [...memory.incidents, ...silences] });
}

/** What is known of a series when one of its windows is evaluated. */
export interface Known {
  history: Readings;
  memory: Memory;
  calendarWindows: CalendarWindows;
}

/** `frozen`: an alert fired or is suspected on it. `unread`: never queried, or before the series existed. */
export type BaselineUse =
  | { kind: 'used' | 'frozen' | 'unread' | 'incident' | 'after the fire' | 'before the accepted level' }
  | { kind: 'holiday'; name: string };

/** Spare weeks that a baseline reaches back for usable windows. */
const SPARE_WEEKS = 4;

/** Maximum number of consecutive holidays that the search for a baseline skips. */
const HOLIDAYS_IN_A_ROW = 7;

/**
 * The windows that `window` can be compared with, nearest first; empty if a model sets the expectation. Incidents,
 * holidays and windows from before a rebaselined level are excluded. From the first breach on the baseline is frozen:
 * a bad level cannot become the reference, and a week later the incident causes no echo.
 */
export function baselineWindows(
  rule: FigureRule,
  window: Window,
  memory: Memory,
  calendarWindows: CalendarWindows,
): Window[] {
  const anchor = anchorOf(memory);
  const isUsable = (each: Window) => reasonLeftOut(each, rule, memory) === undefined;
  switch (rule.baseline.to) {
    case 'none':
    case 'other_segments':
    case 'previous_version':
    case 'seasonal':
      return [];
    case 'previous_period': {
      if (anchor) return [anchor.baseline.window];
      const before = calendarWindows.before(window);
      // The previous window of the service is used as it is, unless it is a holiday or was excused as one.
      if (!holidayIn(before, rule) && !overlapsAny(before, memory.incidents)) return [before];
      return calendarWindows.through(before, HOLIDAYS_IN_A_ROW).filter(isUsable).slice(-1);
    }
    case 'same_weekday':
    case 'median': {
      const wanted = rule.baseline.to === 'median' ? rule.baseline.weeks : 1;
      // An open incident lies between: however long it lasts, the weeks before it stay the baseline.
      const weeksOpen = anchor ? Math.max(0, Math.ceil((window.endAt - anchor.windowEndAt) / WEEK_MS)) : 0;
      const farthest = wanted + SPARE_WEEKS + memory.incidents.length + weeksOpen;
      const usable: Window[] = [];
      for (let weeks = 1; usable.length < wanted && weeks <= farthest; weeks++) {
        const candidate = calendarWindows.weeksBefore(window, weeks);
        if (isUsable(candidate)) usable.push(candidate);
      }
      if (usable.length > 0 || memory.levelSinceAt === null) return usable;
      return nearestDay(window, 7 * farthest, isUsable, calendarWindows);
    }
  }
}

/** Why a window is no part of the baseline; `undefined` if it may be. */
export function reasonLeftOut(window: Window, rule: FigureRule, memory: Memory): BaselineUse | undefined {
  const anchor = anchorOf(memory);
  const holiday = holidayIn(window, rule);
  if (holiday) return { kind: 'holiday', name: holiday };
  if (overlapsAny(window, memory.incidents)) return { kind: 'incident' };
  if (!isOfLevel(window, memory)) return { kind: 'before the accepted level' };
  if (anchor && window.endAt >= anchor.windowEndAt) return { kind: 'after the fire' };
  return undefined;
}

/** For a level too young to have a usable week: the same time on the last usable day. */
function nearestDay(
  window: Window,
  days: number,
  isUsable: (each: Window) => boolean,
  { calendar }: CalendarWindows,
): Window[] {
  const step = calendar.grain === 'hour' ? 24 : 1;
  for (let day = 1; day <= days; day++) {
    const candidate = windowsBack(window, day * step, calendar);
    if (isUsable(candidate)) return [candidate];
  }
  return [];
}

/** The baseline of `window` from readings; `undefined` if unknown. Not for seasonal baselines. */
export function readBaseline(
  rule: FigureRule,
  window: Window,
  series: SeriesKey,
  { history, memory, calendarWindows }: Known,
): Baseline | undefined {
  const anchor = anchorOf(memory);
  if (rule.baseline.to === 'previous_period' && anchor) return anchor.baseline;
  if (rule.baseline.to === 'none') {
    // For the message: the value did not have to change.
    const before = history.reading(window, series, metricOf(rule), 'previous');
    return before && { ...before, window: calendarWindows.before(window), origin: { of: 'window' } };
  }

  return baselineOf(rule, window, series, {
    history,
    windows: baselineWindows(rule, window, memory, calendarWindows),
  });
}

/** The baseline of `window` made of `windows` (nearest first). */
export function baselineOf(
  rule: FigureRule,
  window: Window,
  series: SeriesKey,
  { history, windows }: { history: Readings; windows: Window[] },
): Baseline | undefined {
  const readingOf = (each: Window): WindowReading | undefined => {
    const reading = readingFor(rule, each, series, { history, window });
    return reading && { ...reading, window: each };
  };
  if (rule.baseline.to !== 'median') {
    for (const each of windows) {
      const reading = readingOf(each);
      if (reading) return { ...reading, origin: { of: 'window' } };
    }
    return undefined;
  }
  const readings = windows.flatMap((each) => readingOf(each) ?? []);
  const [newest] = readings;
  if (!newest) return undefined;
  return { ...medianOf(newest.window, readings), origin: { of: 'median', windows: readings.length } };
}

/** The reading of `each` as a baseline of `window`. The answer about `window` may have the one before it too. */
export function readingFor(
  rule: FigureRule,
  each: Window,
  series: SeriesKey,
  { history, window }: { history: Readings; window: Window },
): Reading | undefined {
  const metric = metricOf(rule);
  const along = each.endAt === window.startAt && history.reading(window, series, metric, 'previous');
  return along || history.reading(each, series, metric);
}

/** The median as a reading of `window`: amounts are scaled by hours, means are not. */
function medianOf(window: Window, readings: WindowReading[]): WindowReading {
  const valued = readings.filter(({ value }) => value !== null);
  if (valued.length === 0) return { window, value: null, weight: null };
  const weights = valued.flatMap(({ weight }) => weight ?? []);
  const isMean = weights.length > 0;
  const stretch = (each: Window) => (isMean ? 1 : hoursOf(window) / hoursOf(each));
  const value = median(valued.map((each) => (each.value ?? 0) * stretch(each.window)));
  const events = valued.flatMap((each) =>
    each.events === undefined ? [] : each.events * stretch(each.window),
  );
  const reading = { window, value, weight: isMean ? median(weights) : null };
  return events.length > 0 ? { ...reading, events: median(events) } : reading;
}

/** The fire that froze the baseline. */
export function anchorOf({ fired, suspected }: Memory): Fired | null {
  return fired ?? suspected;
}

export function overlapsAny({ startAt, endAt }: Window, incidents: readonly Window[]): boolean {
  return incidents.some((incident) => startAt < incident.endAt && incident.startAt < endAt);
}

/** Whether the window is not from before the current level. */
export function isOfLevel({ startAt }: Window, { levelSinceAt }: Pick<Memory, 'levelSinceAt'>): boolean {
  return levelSinceAt === null || startAt >= levelSinceAt;
}
