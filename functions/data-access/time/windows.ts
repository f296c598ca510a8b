import { Temporal } from 'temporal-polyfill';
import { type Filter, isWholeDay } from '../../../shared/contract/filters.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { RequestError } from '../requests/request-error.ts';
import { boundEnd, boundStart, dayStart, type Span, unitAround } from './calendar.ts';

const DEFAULT_DAYS = 30;

/** The span of a request, and the previous span for comparison, which ends where the first starts. */
export interface Window {
  readonly span: Span;
  /** Undefined if the window has no start. */
  readonly previous: Span | undefined;
}

/** The start of a window without one. Earlier bounds are rejected. */
export const BEGINNING: Millis = 0;

/**
 * The window of a request: its `date_range`, or the last 30 days until `now`. A window with `after` also ends at `now`,
 * and is empty if it would start later; a window with `before` starts at `BEGINNING`.
 * @throws RequestError INVALID_FILTER if any range is inverted in the app's zone.
 */
export function windowOf(filters: readonly Filter[], zone: string, now: Millis): Window {
  const recent = { from: now - DEFAULT_DAYS * DAY_MS, to: now };
  let window: Window = { span: recent, previous: sameTimeBefore(recent) };
  for (const [index, filter] of filters.entries()) {
    if (filter.attribute === 'date_range' && filter.operator !== 'between_dates')
      window = openWindow(filter.operator, String(filter.value), { zone, now });
    if (filter.operator !== 'between_dates') continue;
    const { lower, upper } = filter.value;
    const span = { from: boundStart(lower, zone), to: boundEnd(upper, zone) };
    if (span.from > span.to) {
      const detail = { path: `filters[${index}].value`, message: `lower is after upper in ${zone}` };
      throw new RequestError('INVALID_FILTER', `${detail.path}: ${detail.message}`, [detail]);
    }
    if (filter.attribute !== 'date_range') continue;
    const calendar = isWholeDay(lower) && isWholeDay(upper);
    window = { span, previous: calendar ? sameDaysBefore(lower, upper, zone) : sameTimeBefore(span) };
  }
  return window;
}

function openWindow(
  operator: Filter['operator'],
  bound: string,
  { zone, now }: { zone: string; now: Millis },
): Window {
  const day = unitAround(bound, 'day', zone);
  const whole = isWholeDay(bound);
  switch (operator) {
    case 'on': {
      const date = Temporal.Instant.fromEpochMilliseconds(day.from).toZonedDateTimeISO(zone).toPlainDate();
      return { span: day, previous: sameDaysBefore(String(date), String(date), zone) };
    }
    case 'after': {
      const from = whole ? day.to : Date.parse(bound) + 1;
      const span = { from, to: Math.max(from, now) };
      return { span, previous: sameTimeBefore(span) };
    }
    case 'before':
      return {
        span: { from: BEGINNING, to: Math.max(BEGINNING, whole ? day.from : Date.parse(bound)) },
        previous: undefined,
      };
    default:
      throw new TypeError(`date_range with ${operator}`);
  }
}

const sameTimeBefore = ({ from, to }: Span): Span => ({ from: from - (to - from), to: from });

function sameDaysBefore(lower: string, upper: string, zone: string): Span {
  const first = Temporal.PlainDate.from(lower);
  const days = first.until(Temporal.PlainDate.from(upper), { largestUnit: 'days' }).days + 1;
  return { from: dayStart(first.subtract({ days }), zone), to: dayStart(first, zone) };
}
