import type * as z from 'zod';
import { type Filter, filtersFor } from '../../analytics/filters.ts';
import { type GroupBy, groupingFor, isTimeBucket } from '../../analytics/grouping.ts';
import { metricOf } from './metrics.ts';

/** What the endpoint of the rule's metric would refuse to filter or group by, so that it is said before it runs. */
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
        message: 'a rule is asked about its windows; leave "date_range" out',
      });
  if (attribute === undefined) return wrong;
  if (isTimeBucket({ attribute }))
    wrong.push({ path: ['group_by'], message: `${attribute} is time, which "window" already cuts` });
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
