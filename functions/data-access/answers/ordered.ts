import { groupKey, isTimeBucket } from '../../../shared/contract/grouping.ts';
import { type Having, nameIn, type Order } from '../../../shared/contract/requests.ts';
import type { AnalyticsRow } from '../../../shared/contract/responses.ts';
import { compareKeys } from './result-rows.ts';

/** The first rows that pass `having`, in the order of `sort`. Rows that are equal by it keep their order. */
export function ordered(
  rows: readonly AnalyticsRow[],
  { group_by, sort, having, limit }: Order,
): AnalyticsRow[] {
  const times = new Set(group_by.filter(isTimeBucket).map(groupKey));
  const compare = (one: AnalyticsRow, other: AnalyticsRow): number => {
    for (const each of sort) {
      const name = nameIn(each);
      const [a = null, b = null] = [one[name], other[name]];
      // Hours that summer time repeats are not in the order of their texts.
      const order = times.has(name) ? Date.parse(String(a)) - Date.parse(String(b)) : compareKeys(a, b);
      if (order !== 0) return each.direction === 'asc' || a === null || b === null ? order : -order;
    }
    return 0;
  };
  return rows
    .filter((row) => having.every((condition) => passes(row[condition.metric] ?? null, condition)))
    .toSorted(compare)
    .slice(0, limit);
}

/** A negation is the exact complement, so it passes a metric that is missing. */
function passes(metric: string | number | null, { operator, value }: Having): boolean {
  if (operator === 'not_equal') return metric !== value;
  if (operator === 'equal') return metric === value;
  if (typeof metric !== 'number') return false;
  if (metric === value) return operator.endsWith('_or_equal');
  return operator.startsWith('greater') === metric > value;
}
