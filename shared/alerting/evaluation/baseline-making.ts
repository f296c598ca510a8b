import type { Readings } from '../readings/history.ts';
import type { Reading, SeriesKey } from '../readings/reading.ts';
import { metricOf } from '../rules/metrics.ts';
import type { FigureRule } from '../rules/rule.ts';
import type { CalendarWindows } from '../time/calendar-windows.ts';
import { holidayIn } from '../time/holiday-calendar.ts';
import type { Window } from '../time/window.ts';
import { anchorOf, baselineWindows, isOfLevel, type Memory, overlapsAny } from './baseline.ts';

/** Weeks that are looked at where none is a measure. */
const LOOKED_WEEKS = 4;

/**
 * What became of one window that a baseline may be made of. `frozen`: it is what an alert fired or is suspected on.
 * `unread`: nobody asked for it, or its series was not born yet.
 */
export type BaselineUse =
  | { kind: 'used' | 'frozen' | 'unread' | 'incident' | 'after the fire' | 'before the accepted level' }
  | { kind: 'holiday'; name: string };

export interface BaselineCandidate {
  window: Window;
  /** `null` where none is known. */
  reading: Reading | null;
  use: BaselineUse;
}

/**
 * The windows that the baseline of `window` was looked for in, the nearest first, and why some were left out; none where a
 * model expects. Which are used is for `baselineWindows` to say.
 */
export function compositionOf(
  rule: FigureRule,
  window: Window,
  series: SeriesKey,
  {
    history,
    memory,
    calendarWindows,
  }: { history: Readings; memory: Memory; calendarWindows: CalendarWindows },
): BaselineCandidate[] {
  const anchor = anchorBefore(window, memory);
  if (rule.baseline.to === 'seasonal') return [];
  if (rule.baseline.to === 'previous_period' && anchor)
    return [{ window: anchor.baselineWindow, reading: anchor.baseline, use: { kind: 'frozen' } }];

  const metric = metricOf(rule);
  const readingOf = (each: Window): Reading | null => {
    const along = each.endAt === window.startAt && history.reading(window, series, metric, 'previous');
    return (along || history.reading(each, series, metric)) ?? null;
  };
  const used = baselineWindows(rule, window, memory, calendarWindows);
  const isUsed = (each: Window) => used.some(({ endAt }) => endAt === each.endAt);
  const looked = lookedAt(rule, window, used, calendarWindows);
  return [...looked, ...used.filter((each) => !looked.some(({ endAt }) => endAt === each.endAt))].map(
    (each) => {
      const reading = readingOf(each);
      const left = isUsed(each) ? undefined : reasonLeftOut(each, rule, memory);
      return { window: each, reading, use: left ?? { kind: reading ? 'used' : 'unread' } };
    },
  );
}

/** A baseline that was frozen before `window`: the window that began it chose its own. */
function anchorBefore({ endAt }: Window, memory: Memory) {
  const anchor = anchorOf(memory);
  return anchor && anchor.windowEndAt < endAt ? anchor : null;
}

/** The windows that come into question, up to the last that is used. */
function lookedAt(
  rule: FigureRule,
  window: Window,
  used: Window[],
  calendarWindows: CalendarWindows,
): Window[] {
  const isWeekly = rule.baseline.to !== 'previous_period';
  const last = Math.min(...used.map(({ endAt }) => endAt));
  const looked: Window[] = [];
  for (let back = 1; back <= (used.length > 0 ? MOST_LOOKED : LOOKED_WEEKS); back++) {
    const before = looked.at(-1) ?? window;
    const each = isWeekly ? calendarWindows.weeksBefore(window, back) : calendarWindows.before(before);
    if (each.endAt < last) break;
    looked.push(each);
  }
  return looked;
}

/** As many weeks as a baseline looks back over at most: those wanted, those to spare, and one for each incident. */
const MOST_LOOKED = 24;

function reasonLeftOut(window: Window, rule: FigureRule, memory: Memory): BaselineUse | undefined {
  const anchor = anchorOf(memory);
  const holiday = holidayIn(window, rule);
  if (holiday) return { kind: 'holiday', name: holiday };
  if (overlapsAny(window, memory.incidents)) return { kind: 'incident' };
  if (!isOfLevel(window, memory)) return { kind: 'before the accepted level' };
  if (anchor && window.endAt >= anchor.windowEndAt) return { kind: 'after the fire' };
  return undefined;
}
