import { Temporal } from 'temporal-polyfill';
import type { Grain } from '../../shared/time/window.ts';

/** "2026-11-20 08:00 to 09:00" for hours, "2026-11-16 to 2026-11-22" for days, in local time. */
export function spanText(from: Temporal.ZonedDateTime, to: Temporal.ZonedDateTime, grain: Grain): string {
  if (grain === 'hour') {
    const isSameDay = from.toPlainDate().equals(to.toPlainDate());
    return `${minuteOf(from)} to ${isSameDay ? minuteOf(to).slice(-5) : minuteOf(to)}`;
  }
  const [first, last] = [from.toPlainDate(), to.toPlainDate().subtract({ days: 1 })];
  return first.equals(last) ? `${first}` : `${first} to ${last}`;
}

export function inZone(at: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
}

/** "2026-11-23 09:00". */
export function minuteOf(time: Temporal.ZonedDateTime): string {
  return time.toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ');
}
