import type { ZoneClock } from '../../shared/time/zone-clock.ts';
import { MINUTE_MS } from '../../shared/units/durations.ts';

const PARTS = /^(?<day>\S{10})(?:[T ](?<time>\d\d:\d\d)(?<offset>[+-]\d\d:\d\d)?)?$/;

/**
 * The moment of a local time in the file. Of a repeated time it is the first, unless an offset selects the
 * second.
 */
export function momentOf(text: string, clock: ZoneClock): number {
  const { day, time = '00:00', offset } = PARTS.exec(text)?.groups ?? {};
  if (offset !== undefined) return Date.parse(`${day}T${time}:00${offset}`);
  return clock.instantOf(Date.parse(`${day}T${time}:00Z`));
}

/** "2026-03-09 14:00" in the zone. The second of a repeated time has its offset, "+01:00". */
export function localText(at: number, clock: ZoneClock): string {
  const local = clock.localOf(at);
  return shown(at, clock) + (clock.instantOf(local) < at ? offsetText(local - at) : '');
}

function shown(at: number, clock: ZoneClock): string {
  return new Date(clock.localOf(at)).toISOString().slice(0, 16).replace('T', ' ');
}

function offsetText(offset: number): string {
  return (offset < 0 ? '-' : '+') + new Date(Math.abs(offset)).toISOString().slice(11, 16);
}

/** Whether a time equals the written one, to the minute; a date matches its whole day. */
export function isAt(written: string, at: number | undefined, clock: ZoneClock): boolean {
  if (at === undefined) return false;
  if (PARTS.exec(written)?.groups?.time === undefined) return shown(at, clock).startsWith(written);
  return Math.floor(at / MINUTE_MS) * MINUTE_MS === momentOf(written, clock);
}
