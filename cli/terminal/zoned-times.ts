import { Temporal } from 'temporal-polyfill';

export function inZone(at: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
}

/** "2026-11-23 09:00". */
export function minuteOf(time: Temporal.ZonedDateTime): string {
  return time.toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ');
}
