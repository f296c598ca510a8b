import { Temporal } from 'temporal-polyfill';
import * as z from 'zod';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../units/durations.ts';
import { ZoneClock } from './zone-clock.ts';

/** The calendar unit of one window, in local time. Weeks start on Monday. */
export const GRAINS = ['hour', 'day', 'week', 'month'] as const;
export type Grain = (typeof GRAINS)[number];

/** A half-open time span in epoch milliseconds: it includes `startAt` and excludes `endAt`. */
export const windowSchema = z.object({ startAt: z.number(), endAt: z.number() });
export type Window = z.infer<typeof windowSchema>;

/** Calendar units in `zone`. A day may last 23 or 25 hours. */
export interface Calendar {
  grain: Grain;
  zone: string;
}

/** The length of a window without a clock change, in milliseconds. Months vary. */
const SPANS: Partial<Record<Grain, number>> = { hour: HOUR_MS, day: DAY_MS, week: WEEK_MS };

/** The first Monday of 1970 in local time. Every hour, day and week starts a multiple of its span after it. */
const MONDAY = 4 * DAY_MS;

const clocks = new Map<string, ZoneClock>();

function clockOf(zone: string): ZoneClock {
  const clock = clocks.get(zone) ?? new ZoneClock(zone);
  clocks.set(zone, clock);
  return clock;
}

/** The last window that has ended by `at`. */
export function lastClosedWindow(at: number, { grain, zone }: Calendar): Window {
  const span = SPANS[grain];
  if (span) {
    // Called for every rule in every run, so it only adds milliseconds far from clock changes.
    const clock = clockOf(zone);
    const since = clock.localOf(at) - MONDAY;
    const endAt = at - (since - Math.floor(since / span) * span);
    if (clock.isSteady(endAt - span, at)) return { startAt: endAt - span, endAt };
  }
  const end = floor(inZone(at, zone), grain);
  return { startAt: earlier(end, grain, 1).epochMilliseconds, endAt: end.epochMilliseconds };
}

/** The window that ends at `endAt`, which must be the end of one. */
export function windowEnding(endAt: number, { grain, zone }: Calendar): Window {
  const span = SPANS[grain];
  if (span && clockOf(zone).isSteady(endAt - span, endAt)) return { startAt: endAt - span, endAt };
  return { startAt: earlier(inZone(endAt, zone), grain, 1).epochMilliseconds, endAt };
}

export function windowBefore({ startAt }: Window, calendar: Calendar): Window {
  return windowEnding(startAt, calendar);
}

/** The same slot of the week, `weeks` weeks earlier. Only for hours, days and weeks. */
export function windowWeeksBefore(window: Window, weeks: number, { grain, zone }: Calendar): Window {
  const clock = clockOf(zone);
  const span = SPANS[grain];
  if (span && clock.isSteady(window.startAt, window.startAt)) {
    const startAt = clock.instantOf(clock.localOf(window.startAt) - weeks * WEEK_MS);
    if (clock.isSteady(startAt, startAt + span)) return { startAt, endAt: startAt + span };
  }
  if (grain !== 'hour') return windowsBack(window, grain === 'week' ? weeks : 7 * weeks, { grain, zone });
  const sameHour = floor(inZone(window.startAt, zone).subtract({ days: 7 * weeks }), grain);
  return { startAt: sameHour.epochMilliseconds, endAt: earlierHour(sameHour, -1).epochMilliseconds };
}

export function windowsBack(window: Window, count: number, { grain, zone }: Calendar): Window {
  const span = SPANS[grain];
  if (span) {
    const startAt = window.startAt - count * span;
    const endAt = startAt + span;
    if (clockOf(zone).isSteady(startAt, Math.max(endAt, window.startAt))) return { startAt, endAt };
  }
  const start = earlier(inZone(window.startAt, zone), grain, count);
  return { startAt: start.epochMilliseconds, endAt: earlier(start, grain, -1).epochMilliseconds };
}

/** The end of the `count`th window after the one that ends at `endAt`. */
export function endAfter(endAt: number, count: number, { grain, zone }: Calendar): number {
  const span = SPANS[grain];
  if (span) {
    // An open alert asks for the end of a long span in every window.
    const end = endAt + count * span;
    if (clockOf(zone).isSteady(Math.min(endAt, end), Math.max(endAt, end))) return end;
  }
  return earlier(inZone(endAt, zone), grain, -count).epochMilliseconds;
}

/** The instant `minutes` after `at`. Whole days are calendar days in `zone`, from midnight to midnight. */
export function minutesAfter(at: number, minutes: number, zone: string): number {
  const time = inZone(at, zone);
  const days = Math.floor(minutes / MINUTES_OF_DAY);
  const isMidnight = time.equals(time.startOfDay());
  const day = isMidnight ? earlier(time, 'day', -days) : time.add({ days });
  return day.epochMilliseconds + (minutes % MINUTES_OF_DAY) * MINUTE_MS;
}

const MINUTES_OF_DAY = 24 * 60;

export function hoursOf(window: Window): number {
  return (window.endAt - window.startAt) / HOUR_MS;
}

/** The local date in `zone`, such as `2026-03-02`. */
export function dateAt(at: number, zone: string): string {
  return inZone(at, zone).toPlainDate().toString();
}

function inZone(at: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
}

function floor(time: Temporal.ZonedDateTime, grain: Grain): Temporal.ZonedDateTime {
  switch (grain) {
    case 'hour':
      return time.round({ smallestUnit: 'hour', roundingMode: 'floor' });
    case 'day':
      return time.startOfDay();
    case 'week':
      return time.subtract({ days: time.dayOfWeek - 1 }).startOfDay();
    case 'month':
      return time.with({ day: 1 }).startOfDay();
  }
}

function earlier(time: Temporal.ZonedDateTime, grain: Grain, count: number): Temporal.ZonedDateTime {
  switch (grain) {
    case 'hour':
      return earlierHour(time, count);
    case 'day':
      return time.toPlainDate().subtract({ days: count }).toZonedDateTime(time.timeZoneId);
    case 'week':
      return time
        .toPlainDate()
        .subtract({ days: 7 * count })
        .toZonedDateTime(time.timeZoneId);
    case 'month':
      return time.toPlainDate().subtract({ months: count }).toZonedDateTime(time.timeZoneId);
  }
}

/**
 * Clocks on Lord Howe Island change by half an hour, so one local hour lasts 30 or 90 minutes. Around such a change this
 * steps hour by hour.
 */
function earlierHour(time: Temporal.ZonedDateTime, count: number): Temporal.ZonedDateTime {
  const hours = time.subtract({ hours: count });
  if (time.minute === 0 && hours.minute === 0) return hours;
  // Windows shorter than an hour also end within hours, where there is no local hour to step to.
  if (!floor(time, 'hour').equals(time)) return hours;
  let hour = time;
  for (let left = Math.abs(count); left > 0; left--) hour = count > 0 ? hourBefore(hour) : hourAfter(hour);
  return hour;
}

function hourBefore(hour: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  return floor(hour.subtract({ milliseconds: 1 }), 'hour');
}

function hourAfter(hour: Temporal.ZonedDateTime): Temporal.ZonedDateTime {
  const next = floor(hour.add({ hours: 1 }), 'hour');
  return next.equals(hour) ? floor(hour.add({ hours: 2 }), 'hour') : next;
}

/** The minute of a window's end as a map key: small integers are several times faster than epoch milliseconds. */
export function minuteOf(endAt: number): number {
  return Math.floor(endAt / MINUTE_MS);
}
