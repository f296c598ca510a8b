import type { ZoneClock } from '../../shared/time/zone-clock.ts';
import { MINUTE_MS } from '../../shared/units/durations.ts';

/** The moment of a date or local time in the file. Of a repeated time it is the first. */
export function momentOf(text: string, clock: ZoneClock): number {
  const [day, time = '00:00'] = text.split(/[T ]/);
  return clock.instantOf(Date.parse(`${day}T${time}:00Z`));
}

/** "2026-03-09 14:00" in the zone. */
export function localText(at: number, clock: ZoneClock): string {
  return new Date(clock.localOf(at)).toISOString().slice(0, 16).replace('T', ' ');
}

/** Whether a time equals the written one, to the minute; a date matches its whole day. */
export function isAt(written: string | undefined, at: number | undefined, clock: ZoneClock): boolean {
  if (written === undefined || at === undefined) return written === undefined;
  if (written.length === 10) return localText(at, clock).startsWith(written);
  return Math.floor(at / MINUTE_MS) * MINUTE_MS === momentOf(written, clock);
}
