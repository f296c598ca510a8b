import * as z from 'zod';
import { minutes } from '../text/text-schemas.ts';
import type { Almanac } from '../time/calendar-windows.ts';
import { minutesAfter, type Window } from '../time/window.ts';
import type { FigureRule } from './rule.ts';

/** How long a new segment is watched before it is judged, in minutes; "report": not at all, it rises from zero. */
export const newSegmentsSchema = z.union([z.literal('report'), minutes], {
  error: 'write "report" or a duration such as "7 days"',
});

/**
 * Whether a segment that was first seen at `newSinceAt`, later than its event, can be judged in `window`: once it has all
 * the windows that its baseline is made of, or has existed for as long as the rule says.
 */
export function isOldEnough(
  { baseline, new_segments, zone }: FigureRule,
  window: Window,
  newSinceAt: number,
  almanac: Almanac,
): boolean {
  if (typeof new_segments === 'number') return window.startAt >= minutesAfter(newSinceAt, new_segments, zone);
  return baseline.to !== 'median' || almanac.weeksBefore(window, baseline.weeks).endAt > newSinceAt;
}
