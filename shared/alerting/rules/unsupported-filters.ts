import type * as z from 'zod';
import { type Filter, filtersFor } from '../../analytics/filters.ts';
import { type GroupBy, groupingFor, isTimeBucket } from '../../analytics/grouping.ts';
import { metricOf } from './metrics.ts';

/** Filters and groups that the endpoint of the rule's metric does not support. */
export function unanswerable(rule: Asked): Fault[] {
  const { filters, group_by: attribute } = rule;
  const { endpoint } = metricOf(rule);
  const wrong = faultsOf(filtersFor(endpoint, 'analytics').safeParse(filters)).map(({ path, message }) => ({
    path: ['filters', ...path],
    message,
  }));
  for (const [i, filter] of filters.entries())
    if (filter.attribute === 'date_range')
      wrong.push({
        path: ['filters', i],
        message: 'the window of the rule sets the dates; remove "date_range"',
      });
  if (attribute === undefined) return wrong;
  if (isTimeBucket({ attribute }))
    wrong.push({ path: ['group_by'], message: `${attribute} is a time; use "window" instead` });
  for (const { message } of faultsOf(groupingFor(endpoint).safeParse([{ attribute }])))
    wrong.push({ path: ['group_by'], message });
  return wrong;
}

type Asked = Parameters<typeof metricOf>[0] & {
  filters: Filter[];
  group_by?: GroupBy['attribute'] | undefined;
};
export type Fault = { path: (string | number)[]; message: string };

function faultsOf({ error }: z.ZodSafeParseResult<unknown>): Fault[] {
  return (error?.issues ?? []).map(({ path, message }) => ({
    path: path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
    message,
  }));
}
