import { Temporal } from 'temporal-polyfill';
import type { BucketUnit } from '../../../shared/contract/attributes.ts';
import { isMonthKey, isWholeDay } from '../../../shared/contract/filters.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/units/durations.ts';

/** Half-open: `from` is in it, `to` is not. */
export interface Span {
  readonly from: Millis;
  readonly to: Millis;
}

export const zonedTime = (at: Millis, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);

export const dayStart = (date: Temporal.PlainDate, zone: string): Millis =>
  date.toZonedDateTime(zone).epochMilliseconds;

/** The first millisecond that a bound covers. */
export function boundStart(bound: string, zone: string): Millis {
  return isWholeDay(bound) ? dayStart(Temporal.PlainDate.from(bound), zone) : Date.parse(bound);
}

/** The first millisecond after what a bound covers: the next day's start, or the timestamp itself. */
export function boundEnd(bound: string, zone: string): Millis {
  return isWholeDay(bound)
    ? dayStart(Temporal.PlainDate.from(bound).add({ days: 1 }), zone)
    : Date.parse(bound);
}

/** The calendar unit that contains a month, a date or a timestamp; for a date, at least its day. */
export function unitAround(value: string, unit: BucketUnit, zone: string): Span {
  const bound = isMonthKey(value) ? `${value}-01` : value;
  const length = PARTS_OF_DAY[unit];
  if (!isWholeDay(bound) && length !== undefined) {
    const at = Date.parse(bound);
    const from = partStart(at, offsetOf(zonedTime(at, zone)), length);
    return { from, to: from + length };
  }
  const day = isWholeDay(bound)
    ? Temporal.PlainDate.from(bound)
    : zonedTime(Date.parse(bound), zone).toPlainDate();
  const [first, next] = dayRange(day, unit);
  return { from: dayStart(first, zone), to: dayStart(next, zone) };
}

function dayRange(day: Temporal.PlainDate, unit: BucketUnit): [Temporal.PlainDate, Temporal.PlainDate] {
  if (unit === 'month') {
    const first = day.with({ day: 1 });
    return [first, first.add({ months: 1 })];
  }
  if (unit === 'week') {
    const monday = day.subtract({ days: day.dayOfWeek - 1 });
    return [monday, monday.add({ days: 7 })];
  }
  return [day, day.add({ days: 1 })];
}

/** A part of a span with one UTC offset. */
export interface OffsetPeriod extends Span {
  readonly offset: Millis;
}

/** The span, split at changes of the UTC offset. Queries compute local time from these, without zone data. */
export function offsetPeriods(span: Span, zone: string): readonly OffsetPeriod[] {
  const periods: OffsetPeriod[] = [];
  let from = span.from;
  do {
    const start = zonedTime(from, zone);
    const change = start.getTimeZoneTransition('next')?.epochMilliseconds ?? span.to;
    const to = Math.min(change, span.to);
    periods.push({ from, to, offset: offsetOf(start) });
    from = to;
  } while (from < span.to);
  return periods;
}

const offsetOf = ({ offsetNanoseconds }: Temporal.ZonedDateTime): Millis => offsetNanoseconds / 1e6;

/** The units that divide a day, with their lengths. */
export const PARTS_OF_DAY: Readonly<Partial<Record<BucketUnit, Millis>>> = {
  minute: MINUTE_MS,
  quarter_hour: 15 * MINUTE_MS,
  hour: HOUR_MS,
};

/** The instant at which the part of the local day around `at` began. */
export const partStart = (at: Millis, offset: Millis, length: Millis): Millis =>
  Math.floor((at + offset) / length) * length - offset;

/** A time in the zone, with its UTC offset: `2026-03-01T12:00:00.000+01:00`. */
export const localTime = (at: Millis, zone: string): string =>
  zonedTime(at, zone).toString({ timeZoneName: 'never', fractionalSecondDigits: 3 });
