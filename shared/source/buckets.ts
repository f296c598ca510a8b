import type { AttributeName } from '../contract/attributes.ts';
import type { RangeQuestion } from '../readings/reading.ts';
import { type Calendar, dateAt, type Grain, type Window } from '../time/window.ts';

/** The attribute that groups figures by window. Users are grouped by the time of their sessions. */
export function bucketOf({ endpoint, calendar: { grain } }: RangeQuestion): AttributeName {
  const of = endpoint === 'event' ? 'event' : 'session';
  return grain === 'hour' || grain === 'day' ? `${of}_uploadedon_${grain}` : `${of}_uploaded_${grain}`;
}

const HOUR_LABEL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.0+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * `items` by the window of their label, in the order of the windows; `undefined` if the labels are not exactly the
 * requested windows. Labels are dates in the zone of the service. If that differs from the zone of the windows, a range
 * from midnight has one label more, and is detected.
 */
export function itemsByWindow<T extends Record<string, unknown>>(
  items: readonly T[],
  question: RangeQuestion,
): T[][] | undefined {
  const { windows, calendar } = question;
  const field = bucketOf(question);
  const byLabel = Map.groupBy(items, (item) => canonicalLabel(item[field], calendar.grain));
  const parts = windows.map((window) => byLabel.get(labelOf(window, calendar) ?? ''));
  const isExact = byLabel.size === windows.length && parts.every((part) => part !== undefined);
  return isExact ? parts.map((part = []) => part) : undefined;
}

/** The label of an hour is an instant, so that a repeated hour has two. All others are the first date. */
function labelOf({ startAt, endAt }: Window, { grain, zone }: Calendar): string | undefined {
  if (grain === 'hour') return endAt - startAt === 3_600_000 ? new Date(startAt).toISOString() : undefined;
  return dateAt(startAt, zone).slice(0, grain === 'month' ? 7 : 10);
}

function canonicalLabel(label: unknown, grain: Grain): string {
  const text = String(label);
  return grain === 'hour' && HOUR_LABEL.test(text) ? new Date(text).toISOString() : text;
}
