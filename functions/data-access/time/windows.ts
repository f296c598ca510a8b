import { Temporal } from 'temporal-polyfill';
import { isWholeDay } from '../../../shared/contract/filters.ts';
import { leavesOf, type QueryFilter } from '../../../shared/contract/query-filters.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { pathText } from '../requests/parse-request.ts';
import { RequestError } from '../requests/request-error.ts';
import { boundEnd, boundStart, dayStart, type Span } from './calendar.ts';

const DEFAULT_DAYS = 30;

/** The span of a request, and the previous span for comparison, which ends where the first starts. */
export interface Window {
  readonly span: Span;
  readonly previous: Span;
}

/**
 * The window of a request: its `date_range`, or the last 30 days until `now`. `place` names the filters in an error.
 * @throws RequestError INVALID_FILTER if any range is inverted in the app's zone.
 */
export function windowOf(
  filters: readonly QueryFilter[],
  zone: string,
  now: Millis,
  place: readonly PropertyKey[] = ['filters'],
): Window {
  const recent = { from: now - DEFAULT_DAYS * DAY_MS, to: now };
  let window: Window = { span: recent, previous: sameTimeBefore(recent) };
  for (const { filter, path } of leavesOf(filters)) {
    if (filter.operator !== 'between_dates') continue;
    const { lower, upper } = filter.value;
    const span = { from: boundStart(lower, zone), to: boundEnd(upper, zone) };
    if (span.from > span.to) {
      const at = pathText([...place, ...path, 'value']);
      const message = `lower is after upper in ${zone}`;
      throw new RequestError('INVALID_FILTER', `${at}: ${message}`, [{ path: at, message }]);
    }
    if (filter.attribute !== 'date_range') continue;
    const calendar = isWholeDay(lower) && isWholeDay(upper);
    window = { span, previous: calendar ? sameDaysBefore(lower, upper, zone) : sameTimeBefore(span) };
  }
  return window;
}

const sameTimeBefore = ({ from, to }: Span): Span => ({ from: from - (to - from), to: from });

function sameDaysBefore(lower: string, upper: string, zone: string): Span {
  const first = Temporal.PlainDate.from(lower);
  const days = first.until(Temporal.PlainDate.from(upper), { largestUnit: 'days' }).days + 1;
  return { from: dayStart(first.subtract({ days }), zone), to: dayStart(first, zone) };
}
