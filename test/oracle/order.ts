import type { Row } from './analytics.ts';
import { ATTRIBUTES, attributeNamed } from './attributes.ts';
import type { AnalyticsRequest, RequestHaving, RequestSort } from './requests.ts';
import { byCharacter } from './text-order.ts';

/** The rows that `having` lets through, by `sort` and up to `limit`. They are given in the order of time. */
export function inAskedOrder(
  rows: Row[],
  { sort = [], having = [], limit = rows.length }: AnalyticsRequest,
): Row[] {
  // The place of each moment: the first row that has it.
  const places = new Map<string, number>();
  rows.forEach((row, at) => {
    for (const [field, value] of Object.entries(row))
      if (!places.has(`${field} ${value}`)) places.set(`${field} ${value}`, at);
  });
  const rankIn = (row: Row, field: string) =>
    field in ATTRIBUTES && attributeNamed(field).kind === 'bucket'
      ? (places.get(`${field} ${row[field]}`) ?? 0)
      : (row[field] ?? null);
  const by =
    ({ attribute, metric = attribute ?? '', direction }: RequestSort) =>
    (a: Row, b: Row) => {
      const [one, other] = [rankIn(a, metric), rankIn(b, metric)];
      if (one === null || other === null) return Number(one === null) - Number(other === null);
      const ahead = typeof one === 'number' ? one - Number(other) : byCharacter(one, String(other));
      return direction === 'desc' ? -ahead : ahead;
    };
  const kept = rows.filter((row) => having.every((one) => holds(row[one.metric] ?? null, one)));
  // Sorting is stable, so the last criterion is applied first.
  for (const one of sort.toReversed()) kept.sort(by(one));
  return kept.slice(0, limit);
}

function holds(value: Row[string], { operator, value: limit }: RequestHaving): boolean {
  const ofNumbers: Record<string, (number: number) => boolean> = {
    equal: (number) => number === limit,
    not_equal: (number) => number !== limit,
    greater: (number) => number > limit,
    less: (number) => number < limit,
    greater_or_equal: (number) => number >= limit,
    less_or_equal: (number) => number <= limit,
  };
  return typeof value === 'number' ? ofNumbers[operator]?.(value) === true : operator === 'not_equal';
}
