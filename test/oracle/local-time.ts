import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/units/durations.ts';

/** Local time from the zone data of the platform. */

export type Unit = 'minute' | 'quarter_hour' | 'hour' | 'day' | 'week' | 'month';

/** The clocks of the zones in the tests change only at full quarters of an hour. */
const QUARTER = HOUR_MS / 4;

interface LocalTime {
  /** YYYY-MM-DD */
  readonly date: string;
  /** ±HH:MM */
  readonly offset: string;
}

const clocks = new Map<string, (quarter: number) => LocalTime>();

function clockOf(zone: string): (quarter: number) => LocalTime {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const seen = new Map<number, LocalTime>();
  return (quarter) => {
    const known = seen.get(quarter);
    if (known) return known;
    const parts = new Map(format.formatToParts(quarter).map(({ type, value }) => [type, value]));
    const date = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`;
    const shown = Date.parse(`${date}T${parts.get('hour')}:${parts.get('minute')}:00Z`);
    const local = { date, offset: offsetText(shown - quarter) };
    seen.set(quarter, local);
    return local;
  };
}

function offsetText(offset: number): string {
  const minutes = Math.abs(offset) / 60_000;
  const two = (number: number) => String(number).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function localTime(at: number, zone: string): LocalTime {
  const clock = clocks.get(zone) ?? clockOf(zone);
  clocks.set(zone, clock);
  return clock(Math.floor(at / QUARTER) * QUARTER);
}

/** A moment in local time with its offset from UTC. */
export function localIso(at: number, zone: string): string {
  const { offset } = localTime(at, zone);
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(4))];
  const ahead = (offset.startsWith('-') ? -1 : 1) * (hours * HOUR_MS + minutes * 60_000);
  return new Date(at + ahead).toISOString().replace('Z', offset);
}

/** The date that a calendar in the zone shows. */
export const localDate = (at: number, zone: string): string => localTime(at, zone).date;

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** From one date to another. */
export const daysBetween = (first: string, second: string): number =>
  (Date.parse(second) - Date.parse(first)) / DAY_MS;

function mondayOf(date: string): string {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return addDays(date, -((weekday + 6) % 7));
}

/** The name of the day, week or month that contains a date; of its day for a unit within the day. */
export function nameOf(unit: Unit, date: string): string {
  if (unit === 'month') return date.slice(0, 7);
  return unit === 'week' ? mondayOf(date) : date;
}

/** The bucket that a moment falls into. */
export function bucketAt(unit: Unit, at: number, zone: string): string {
  if (unit === 'day' || unit === 'week' || unit === 'month') return nameOf(unit, localDate(at, zone));
  const local = localIso(at, zone);
  const minute = Number(local.slice(14, 16));
  const shown = { minute, quarter_hour: minute - (minute % 15), hour: 0 }[unit];
  return `${local.slice(0, 14)}${String(shown).padStart(2, '0')}:00${local.slice(23)}`;
}

/** The first moment at which the zone's calendar shows the date, or a later one if it skips that date. */
export function startOfDate(date: string, zone: string): number {
  let at = Date.parse(`${date}T00:00:00Z`) - DAY_MS;
  while (localDate(at, zone) < date) at += QUARTER;
  return at;
}

const LENGTHS: Readonly<Partial<Record<Unit, number>>> = {
  ...{ minute: MINUTE_MS, quarter_hour: QUARTER, hour: HOUR_MS },
};

/** Whether there are certainly more buckets than that, which would take long to list. */
export const areMoreThan = (most: number, units: readonly Unit[], from: number, to: number): boolean =>
  units.some((unit) => (to - from) / (LENGTHS[unit] ?? Infinity) > most);

/** Moments from `from` to before `to` in order, at least one in every bucket of the units. */
export function moments(units: readonly Unit[], from: number, to: number): number[] {
  if (from >= to) return [];
  const isShort = units.includes('quarter_hour') || units.includes('hour');
  const step = units.includes('minute') ? MINUTE_MS : isShort ? QUARTER : HOUR_MS;
  const found = [from];
  for (let at = (Math.floor(from / step) + 1) * step; at < to; at += step) found.push(at);
  return [...found, to - 1];
}
