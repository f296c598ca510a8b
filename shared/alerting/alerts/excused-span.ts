import type { Rule } from '../rules/rule.ts';
import { type Calendar, endAfter, lastClosedWindow, type Window, windowEnding } from '../time/window.ts';

/** What is excused with a window: an hour goes with its day, by the clocks of the rule's zone, and what is longer alone. */
export function excusedSpan(firedWindowEndAt: number, rule: Rule): Window {
  const calendar = excusedCalendar(rule);
  if (rule.window !== 'hour') return windowEnding(firedWindowEndAt, calendar);
  return windowEnding(
    endAfter(lastClosedWindow(firedWindowEndAt - 1, calendar).endAt, 1, calendar),
    calendar,
  );
}

/** The calendar of such spans. */
export function excusedCalendar({ window: grain, zone }: Rule): Calendar {
  return { grain: grain === 'hour' ? 'day' : grain, zone };
}
