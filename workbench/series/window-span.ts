import type { Week } from '../../shared/evaluation/season.ts';
import { DAILY, HOURLY } from '../../shared/statistics/seasonality.ts';
import { CalendarWindows, type Slot } from '../../shared/time/calendar-windows.ts';
import { type Grain, lastClosedWindow, type Window } from '../../shared/time/window.ts';
import { ZoneClock } from '../../shared/time/zone-clock.ts';
import { MINUTE_MS } from '../../shared/units/durations.ts';

const WEEK_MINUTES = 7 * 24 * 60;

/** Length of windows, as users write it. */
export const SPANS = ['5m', '10m', '15m', '30m', '1h', '1d', '1w'] as const;
export type Span = (typeof SPANS)[number];

const GRAINS: Partial<Record<Span, Grain>> = { '1h': 'hour', '1d': 'day', '1w': 'week' };

/** Grain for evaluating a span's windows. Rules have none under an hour. */
export function grainOf(span: Span): Grain {
  return GRAINS[span] ?? 'hour';
}

/** A window of this grain as users write it; `undefined` for months, which only rules can have. */
export function spanOf(grain: Grain): Span | undefined {
  return SPANS.find((span) => GRAINS[span] === grain);
}

/** How a series is cut into windows, and their place in the week. */
export interface Cut {
  containing(at: number): Window;
  after(window: Window): Window;
  /** `undefined` where windows are too long for a place in the week. */
  week: Week | undefined;
}

/** Hours, days and longer, in local time of the zone. */
export function cutByGrain(grain: Grain, zone: string): Cut {
  const calendarWindows = new CalendarWindows({ grain, zone });
  const slotOf = (window: Window) => calendarWindows.slotOf(window);
  const seasonality = grain === 'hour' ? HOURLY : grain === 'day' ? DAILY : undefined;
  return {
    containing: (at) => calendarWindows.after(lastClosedWindow(at, { grain, zone })),
    after: (window) => calendarWindows.after(window),
    week: seasonality && { seasonality, slotOf },
  };
}

/** Parts of an hour. Half-hour clock changes do not cut them. */
function cutByMinutes(minutes: number, zone: string): Cut {
  const clock = new ZoneClock(zone);
  const span = minutes * MINUTE_MS;
  const startOf = (at: number) => at - modulo(clock.localOf(at), span);
  const [slots, subSlots] = [WEEK_MINUTES / minutes, (24 * 60) / minutes];
  // The epoch was a Thursday.
  const slotOf = ({ startAt }: Window): Slot => ({
    slot: modulo(Math.floor(clock.localOf(startAt) / span) + 3 * subSlots, slots),
    exposure: 1,
  });
  return {
    containing: (at) => ({ startAt: startOf(at), endAt: startOf(at) + span }),
    after: ({ endAt }) => ({ startAt: endAt, endAt: endAt + span }),
    week: { seasonality: { ...HOURLY, slots, subSlots, level: slots, memory: 8 * slots }, slotOf },
  };
}

export function cutBySpan(span: Span, zone: string): Cut {
  const grain = GRAINS[span];
  return grain ? cutByGrain(grain, zone) : cutByMinutes(Number.parseInt(span, 10), zone);
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
