import type { Reading, SeriesKey } from '../readings/reading.ts';
import type { FigureRule } from '../rules/rule.ts';
import type { CalendarWindows } from '../time/calendar-windows.ts';
import type { Window } from '../time/window.ts';
import {
  anchorOf,
  type BaselineUse,
  baselineWindows,
  type Known,
  type Memory,
  readingFor,
  reasonLeftOut,
} from './baseline.ts';

/** Weeks listed if none is usable. */
const LISTED_WEEKS = 4;

export interface BaselineCandidate {
  window: Window;
  /** `null` if unknown. */
  reading: Reading | null;
  use: BaselineUse;
}

/**
 * The candidate windows for the baseline of `window`, nearest first, and why some were skipped; empty if a model sets
 * the expectation. `baselineWindows` decides which are used.
 */
export function compositionOf(
  rule: FigureRule,
  window: Window,
  series: SeriesKey,
  { history, memory, calendarWindows }: Known,
): BaselineCandidate[] {
  const anchor = anchorBefore(window, memory);
  if (!['previous_period', 'same_weekday', 'median'].includes(rule.baseline.to)) return [];
  if (rule.baseline.to === 'previous_period' && anchor)
    return [{ window: anchor.baseline.window, reading: anchor.baseline, use: { kind: 'frozen' } }];

  const used = baselineWindows(rule, window, memory, calendarWindows);
  const isUsed = (each: Window) => used.some(({ endAt }) => endAt === each.endAt);
  const candidates = candidatesOf(rule, window, used, calendarWindows);
  return [...candidates, ...used.filter((each) => !candidates.some(({ endAt }) => endAt === each.endAt))].map(
    (each) => {
      const reading = readingFor(rule, each, series, { history, window }) ?? null;
      const left = isUsed(each) ? undefined : reasonLeftOut(each, rule, memory);
      return { window: each, reading, use: left ?? { kind: reading ? 'used' : 'unread' } };
    },
  );
}

/** A baseline that was frozen before `window`; the window that froze it chose its own. */
function anchorBefore({ endAt }: Window, memory: Memory) {
  const anchor = anchorOf(memory);
  return anchor && anchor.windowEndAt < endAt ? anchor : null;
}

/** The candidates, up to the last one used. */
function candidatesOf(
  rule: FigureRule,
  window: Window,
  used: Window[],
  calendarWindows: CalendarWindows,
): Window[] {
  const isWeekly = rule.baseline.to !== 'previous_period';
  const last = Math.min(...used.map(({ endAt }) => endAt));
  const candidates: Window[] = [];
  for (let back = 1; back <= (used.length > 0 ? MOST_CANDIDATES : LISTED_WEEKS); back++) {
    const before = candidates.at(-1) ?? window;
    const each = isWeekly ? calendarWindows.weeksBefore(window, back) : calendarWindows.before(before);
    if (each.endAt < last) break;
    candidates.push(each);
  }
  return candidates;
}

/** The most weeks that a baseline reaches back: those wanted, spare ones, and one per incident. */
const MOST_CANDIDATES = 24;
