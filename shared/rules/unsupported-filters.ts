import type * as z from 'zod';
import type { Filter } from '../contract/filters.ts';
import { groupingFor, isTimeBucket } from '../contract/grouping.ts';
import { filtersFor } from '../contract/query-filters.ts';
import { lazyBy } from '../units/lazy.ts';
import { computedOf, ownFigures } from './figures.ts';
import { groupsOf, type SegmentRule } from './group-by.ts';
import type { Endpoint } from './metric.ts';
import { metricOf } from './watched-metric.ts';

/** A schema takes ten times longer to build than to use. */
const filtersOf = lazyBy((endpoint: Endpoint) => filtersFor(endpoint, 'analytics'));
const groupingOf = lazyBy((endpoint: Endpoint) => groupingFor(endpoint));

/** Filters and groups that an endpoint of the rule's metrics does not support. */
export function unanswerable(rule: Asked): Fault[] {
  const { filters } = rule;
  const groups = groupsOf(rule);
  const endpoints = endpointsOf(rule);
  const wrong = [
    ...endpoints.flatMap((endpoint) => unfitFilters(filters, endpoint, [])),
    ...ownFigures(rule).flatMap(({ metric, filters: own, path }) =>
      unfitFilters(own, metricOf({ metric }).endpoint, path),
    ),
  ];
  if (groups.length === 0) return unique(wrong);
  for (const group of groups.filter(isTimeBucket))
    wrong.push({ path: ['group_by'], message: `${group.attribute} is a time; use "window" instead` });
  for (const endpoint of endpoints)
    for (const { message } of faultsOf(groupingOf(endpoint).safeParse(groups)))
      wrong.push({ path: ['group_by'], message });
  return unique(wrong);
}

function unfitFilters(filters: Filter[], endpoint: Endpoint, at: Fault['path']): Fault[] {
  const wrong = faultsOf(filtersOf(endpoint).safeParse(filters)).map(({ path, message }) => ({
    path: [...at, 'filters', ...path],
    message,
  }));
  for (const [i, filter] of filters.entries())
    if (filter.attribute === 'date_range')
      wrong.push({
        path: [...at, 'filters', i],
        message: 'the window of the rule sets the dates; remove "date_range"',
      });
  return wrong;
}

/** The endpoints that answer the rule. Filters and groups of the rule apply to each. */
function endpointsOf(rule: Asked): Endpoint[] {
  const parts = [...(computedOf(rule)?.parts.values() ?? [])];
  if (parts.length === 0) return [metricOf(rule).endpoint];
  return [...new Set(parts.map(({ metric }) => metric.endpoint))];
}

function unique(faults: Fault[]): Fault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
}

type Asked = Parameters<typeof metricOf>[0] & SegmentRule & { filters: Filter[] };
export type Fault = { path: (string | number)[]; message: string };

function faultsOf({ error }: z.ZodSafeParseResult<unknown>): Fault[] {
  return (error?.issues ?? []).map(({ path, message }) => ({
    path: path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
    message,
  }));
}
