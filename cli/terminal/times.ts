import { Temporal } from 'temporal-polyfill';
import type { Millis } from '../../shared/runtime/clock.ts';

export function inZone(at: Millis, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
}

/** "2026-11-23 09:00". */
export function minuteOf(time: Temporal.ZonedDateTime): string {
  return time.toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ');
}

/** "2026-03-01 06:00 UTC". */
export function minuteText(at: Millis): string {
  return `${minuteOf(inZone(at, 'UTC'))} UTC`;
}
