import type { Metric } from '../../../shared/contract/aggregations.ts';
import type { Resource } from '../../../shared/contract/attributes.ts';
import { groupKey } from '../../../shared/contract/grouping.ts';
import type { QueryFilter } from '../../../shared/contract/query-filters.ts';
import { LEGACY_PAGE_SIZE, type Order } from '../../../shared/contract/requests.ts';
import type { AnalyticsRow } from '../../../shared/contract/responses.ts';
import type { ToQuery } from '../queries/question.ts';
import { windowOf } from '../time/windows.ts';
import { analyticsRows } from './analytics-rows.ts';
import { linksOf } from './links.ts';
import { ordered } from './ordered.ts';
import { type Answer, type Call, numbered, queryRunner } from './read-context.ts';

/** An analytics request of either style. */
export interface Analysis<R extends Resource> extends Order {
  readonly filters: readonly QueryFilter[];
  readonly aggregation: readonly Metric<R>[];
  readonly comparison: 0 | 1;
}

/** Analytics in the legacy style: all rows, or the requested page. */
export function analyzeLegacy<R extends Resource>(resource: R, toQuery: ToQuery<R>) {
  return async (request: Analysis<R> & Partial<PageNumber>, call: Call): Promise<Answer> => {
    const rows = await analyze(resource, toQuery, request, call);
    const { page, page_size: pageSize } = request;
    return page === undefined && pageSize === undefined
      ? { data: rows, pagination: numbered(1, rows.length, rows.length) }
      : paged(rows, { page: page ?? 1, page_size: pageSize ?? LEGACY_PAGE_SIZE.default });
  };
}

/** Analytics of a JSON body, page by page. */
export function analyzeBody<R extends Resource>(resource: R, toQuery: ToQuery<R>) {
  return async (request: Analysis<R> & PageNumber, call: Call): Promise<Answer> =>
    paged(await analyze(resource, toQuery, request, call), request);
}

interface PageNumber {
  readonly page: number | undefined;
  readonly page_size: number | undefined;
}

export const paged = (
  rows: readonly object[],
  { page = 1, page_size: size = rows.length }: PageNumber,
): Answer => ({
  data: rows.slice((page - 1) * size, page * size),
  pagination: numbered(page, size, rows.length),
});

async function analyze<R extends Resource>(
  resource: R,
  toQuery: ToQuery<R>,
  request: Analysis<R>,
  call: Call,
): Promise<AnalyticsRow[]> {
  const { filters, group_by: groups, aggregation: metrics, comparison } = request;
  const { zone } = call.app.settings;
  const { span, previous } = windowOf(filters, zone, call.now);
  const question = { resource, filters, groups, metrics, zone, now: call.now, span };
  const source = { runQuery: queryRunner(call), toQuery, hours: call.app.engine.hours };
  const all = await analyticsRows(source, question, comparison === 1 ? previous : undefined);
  const rows = ordered(all, request);
  if (resource !== 'user') return rows;
  const links = linksOf(call.app.settings);
  const keys = groups.map(groupKey);
  return rows.map((row) => {
    const group = Object.fromEntries(keys.map((key) => [key, row[key] ?? null]));
    return { ...row, dashboard_link: links.analytics(span, group) };
  });
}
