import { addDays, daysBetween, startOfDate } from './local-time.ts';
import { filtersWithin, Refusal, type RequestCondition } from './requests.ts';
import type { World } from './rows.ts';

/** From `from` to before `to`. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

const THIRTY_DAYS = 30 * 24 * 3_600_000;

export const isDate = (bound: string): boolean => /^\d{4}-\d\d-\d\d$/.test(bound);

export const inWindow = (at: number, { from, to }: Window): boolean => at >= from && at < to;

/**
 * The requested window and the one before it.
 * @throws Refusal if a range is inverted, even if only in the zone of the app.
 */
export function windowsOf(filters: readonly RequestCondition[], { zone, now }: World): [Window, Window] {
  const ranges = filtersWithin(filters).filter(({ operator }) => operator === 'between_dates');
  if (ranges.some(({ value }) => isInverted(value as Range, zone))) throw new Refusal('INVALID_FILTER');
  const range = ranges.find(({ attribute }) => attribute === 'date_range');
  if (range === undefined) return withPrevious({ from: now - THIRTY_DAYS, to: now });
  const { lower, upper } = range.value as Range;
  const window = windowOf({ lower, upper }, zone);
  if (!isDate(lower) || !isDate(upper)) return withPrevious(window);
  const days = daysBetween(lower, upper) + 1;
  return [window, { from: startOfDate(addDays(lower, -days), zone), to: window.from }];
}

interface Range {
  readonly lower: string;
  readonly upper: string;
}

const windowOf = ({ lower, upper }: Range, zone: string): Window => ({
  from: isDate(lower) ? startOfDate(lower, zone) : Date.parse(lower),
  to: isDate(upper) ? startOfDate(addDays(upper, 1), zone) : Date.parse(upper),
});

function isInverted({ lower, upper }: Range, zone: string): boolean {
  if (isDate(lower) && isDate(upper)) return lower > upper;
  const { from, to } = windowOf({ lower, upper }, zone);
  return from > to;
}

function withPrevious(window: Window): [Window, Window] {
  return [window, { from: 2 * window.from - window.to, to: window.from }];
}
