import type { Filter } from '../contract/filters.ts';
import type { Window } from '../time/window.ts';

/** Timestamps are exact and the interval is half-open, like windows. */
export function windowFilter({ startAt, endAt }: Window): Filter {
  const value = { lower: new Date(startAt).toISOString(), upper: new Date(endAt).toISOString() };
  return { attribute: 'date_range', operator: 'between_dates', value };
}
