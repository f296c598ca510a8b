import type { Rule } from '../rules/rule.ts';
import { type Calendar, endAfter, lastClosedWindow, type Window, windowEnding } from '../time/window.ts';

/** The span excused with a window: for an hour its whole day in the rule's zone, otherwise the window. */
export function excusedSpan(firedWindowEndAt: number, rule: Rule): Window {
  const calendar = excusedCalendar(rule);
  if (rule.window !== 'hour') return windowEnding(firedWindowEndAt, calendar);
  return windowEnding(
    endAfter(lastClosedWindow(firedWindowEndAt - 1, calendar).endAt, 1, calendar),
    calendar,
  );
}

/** The calendar of excused spans. */
export function excusedCalendar({ window: grain, zone }: Rule): Calendar {
  return { grain: grain === 'hour' ? 'day' : grain, zone };
}
