import type { FigureRule } from '../rules/rule.ts';
import type { CalendarWindows } from '../time/calendar-windows.ts';
import type { Window } from '../time/window.ts';
import { minutesAfter } from '../time/window.ts';

/**
 * Whether a segment that was first seen at `newSinceAt`, later than its event, can be judged in `window`: once it has all
 * the windows that its baseline is made of, or has existed for as long as the rule says.
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
