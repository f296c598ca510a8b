import type { FigureRule } from '../rules/rule.ts';
import type { CalendarWindows } from '../time/calendar-windows.ts';
import type { Window } from '../time/window.ts';
import { minutesAfter } from '../time/window.ts';

/**
 * Whether a segment first seen at `newSinceAt`, later than its event, can be evaluated in `window`: all windows of its
 * baseline exist, or it is as old as the rule requires.
 */
export function isOldEnough(
  { baseline, new_segments, zone }: FigureRule,
  window: Window,
  newSinceAt: number,
  calendarWindows: CalendarWindows,
): boolean {
  if (typeof new_segments === 'number') return window.startAt >= minutesAfter(newSinceAt, new_segments, zone);
  return baseline.to !== 'median' || calendarWindows.weeksBefore(window, baseline.weeks).endAt > newSinceAt;
}
