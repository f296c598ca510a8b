import type { Calendar, Window } from '../time/window.ts';
import { DAY_MS, HOUR_MS } from '../units/durations.ts';

/**
 * A window in its own zone: "Tue 3 Mar 2026, 14:00 to 15:00 (Europe/Berlin)"; of several read together "the 14 hours to
 * Wed 4 Mar 2026, 04:00 (Europe/Berlin)".
 */
export function windowText({ startAt, endAt }: Window, { grain, zone }: Calendar): string {
  const together = windowsIn({ startAt, endAt }, grain);
  switch (grain) {
    case 'hour':
      return together > 1
        ? `the ${together} hours to ${dayText(endAt, zone)}, ${timeText(endAt, zone)} (${zone})`
        : `${dayText(startAt, zone)}, ${timeText(startAt, zone)} to ${timeText(endAt, zone)} (${zone})`;
    case 'day':
      return together > 1
        ? `the ${together} days to ${dayText(endAt - 1, zone)} (${zone})`
        : `${dayText(startAt, zone)} (${zone})`;
    case 'week':
    case 'month':
      return `${dayText(startAt, zone)} to ${dayText(endAt - 1, zone)} (${zone})`;
  }
}

/** "on Tue 3 Mar 2026, 14:00 to 15:00 (Europe/Berlin)", "from Mon 2 Mar 2026 to Sun 8 Mar 2026 (UTC)". */
export function inWindowText(window: Window, calendar: Calendar): string {
  const { grain } = calendar;
  const isDay = grain === 'hour' || grain === 'day';
  const isOne = windowsIn(window, grain) === 1;
  return `${isDay ? (isOne ? 'on' : 'in') : 'from'} ${windowText(window, calendar)}`;
}

/** The number of hours or days that were read together. */
function windowsIn({ startAt, endAt }: Window, grain: Calendar['grain']): number {
  if (grain === 'hour') return Math.max(1, Math.round((endAt - startAt) / HOUR_MS));
  return grain === 'day' ? Math.max(1, Math.round((endAt - startAt) / DAY_MS)) : 1;
}

/** "Tue 3 Mar 2026, 14:05 (Europe/Berlin)". */
export function momentText(at: number, zone: string): string {
  return `${dayText(at, zone)}, ${timeText(at, zone)} (${zone})`;
}

/** The text without the name of `zone` after its times, for a place that names it once. */
export function withoutZone(text: string, zone: string): string {
  return text.replaceAll(` (${zone})`, '');
}

function dayText(at: number, zone: string): string {
  return inZone(zone).day.format(at).replace(',', '');
}

/** "14:05"; "02:00 GMT+2" for an hour that occurs twice when clocks go back. */
function timeText(at: number, zone: string): string {
  const { time, timeAndOffset } = inZone(zone);
  const text = time.format(at);
  const isTwice = CHANGES_MS.some((by) => time.format(at - by) === text || time.format(at + by) === text);
  return isTwice ? timeAndOffset.format(at) : text;
}

/** Amounts by which clocks go back. */
const CHANGES_MS = [3_600_000, 1_800_000];

interface ZoneFormats {
  day: Intl.DateTimeFormat;
  time: Intl.DateTimeFormat;
  timeAndOffset: Intl.DateTimeFormat;
}

// Created once per zone: creating a formatter takes longer than an evaluation.
const formats = new Map<string, ZoneFormats>();

function inZone(timeZone: string): ZoneFormats {
  const format = (parts: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...parts, timeZone });
  const found = formats.get(timeZone) ?? {
    day: format({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
    time: format({ hour: '2-digit', minute: '2-digit' }),
    timeAndOffset: format({ hour: '2-digit', minute: '2-digit', timeZoneName: 'shortOffset' }),
  };
  formats.set(timeZone, found);
  return found;
}
