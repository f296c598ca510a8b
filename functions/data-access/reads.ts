import type * as z from 'zod';
import type { Resource } from '../../shared/analytics/attributes.ts';
import type { Filter } from '../../shared/analytics/filters.ts';
import { type GroupBy, groupKey } from '../../shared/analytics/grouping.ts';
import type { Metric } from '../../shared/analytics/metrics.ts';
import {
  LEGACY_PAGE_SIZE,
  type legacyAnalyticsSchema,
  type legacyListSchema,
  type UserListRequest,
  type userAnalyticsSchema,
} from '../../shared/analytics/requests.ts';
import type { AnalyticsRow, CursorPagination, Pagination } from '../../shared/analytics/responses.ts';
import type { Millis } from '../../shared/runtime/clock.ts';
import { analyticsRows } from './analytics.ts';
import type { App } from './apps.ts';
import { openCursor, sealCursor } from './cursor.ts';
import type { Sql } from './engines/sql.ts';
import { linksOf } from './links.ts';
import { eventList } from './queries/event-list.ts';
import type { Question } from './queries/question.ts';
import { userAnalytics } from './queries/user-analytics.ts';
import { userList } from './queries/user-list.ts';
import { userRecord } from './user-records.ts';
import { windowOf } from './windows.ts';

/** What an endpoint has besides the request. */
export interface Call {
  readonly app: App;
  readonly now: Millis;
  readonly cursorSecret: string;
  /** Aborted once nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Told how many bytes a query read, by engines that know. */
  readonly onScanned: (bytes: number) => void;
}

export interface Answer {
  readonly data: readonly object[];
  readonly pagination: Pagination | CursorPagination;
}

export async function listEvents(
  { filters, page, page_size: pageSize }: z.output<ReturnType<typeof legacyListSchema>>,
  { app, now }: Call,
): Promise<Answer> {
  const { zone } = app.settings;
  const { span } = windowOf(filters, zone, now);
  const asked = { filters, zone, now, span, page, pageSize };
  const { records, total } = await eventList(app.engine, asked, linksOf(app.settings));
  return { data: records, pagination: pagination(page, pageSize, total) };
}

/** Analytics in the legacy style: all rows, or the page asked for. */
export function analyzeLegacy<R extends Resource>(resource: R, toSql: (question: Question<R>) => Sql) {
  type Request = z.output<ReturnType<typeof legacyAnalyticsSchema<R>>>;
  return async (request: Request, call: Call): Promise<Answer> => {
    const rows = await analyze({ resource, toSql, ...request }, call);
    const { page = 1, page_size: pageSize = LEGACY_PAGE_SIZE.default } = request;
    if (request.page === undefined && request.page_size === undefined) {
      return { data: rows, pagination: pagination(1, rows.length, rows.length) };
    }
    return paged(rows, page, pageSize);
  };
}

export async function analyzeUsers(
  request: z.output<typeof userAnalyticsSchema>,
  call: Call,
): Promise<Answer> {
  const rows = await analyze({ resource: 'user', toSql: userAnalytics, ...request }, call);
  const { span } = windowOf(request.filters, call.app.settings.zone, call.now);
  const links = linksOf(call.app.settings);
  const keys = request.group_by.map(groupKey);
  const linked = rows.map((row) => {
    const group = Object.fromEntries(keys.map((key) => [key, row[key] ?? null]));
    return { ...row, dashboard_link: links.analytics(span, group) };
  });
  return paged(linked, request.page, request.page_size);
}

interface Analysis<R extends Resource> {
  readonly resource: R;
  readonly toSql: (question: Question<R>) => Sql;
  readonly filters: readonly Filter[];
  readonly group_by: readonly GroupBy[];
  readonly aggregation: readonly Metric<R>[];
  readonly comparison: 0 | 1;
}

function analyze<R extends Resource>(analysis: Analysis<R>, { app, now }: Call): Promise<AnalyticsRow[]> {
  const { resource, filters, group_by: groups, aggregation: metrics } = analysis;
  const { zone } = app.settings;
  const { span, previous } = windowOf(filters, zone, now);
  const question: Question<R> = { resource, filters, groups, metrics, zone, now, span };
  return analyticsRows(
    app.engine,
    question,
    analysis.toSql,
    analysis.comparison === 1 ? previous : undefined,
  );
}

export async function listUsers(request: UserListRequest, { app, now, cursorSecret }: Call): Promise<Answer> {
  const { cursor, ...query } = request;
  const { filters, page_size: pageSize } = query;
  const walk = cursor === undefined ? undefined : openCursor(cursor, query, cursorSecret);
  const scope = { zone: app.settings.zone, now: walk?.now ?? now };
  const { span } = windowOf(filters, scope.zone, scope.now);
  const asked = { ...scope, filters, span, limit: pageSize + 1, ...(walk && { after: walk }) };
  const found = await userList(app.engine, asked);
  const rows = found.slice(0, pageSize);
  const page = walk?.page ?? 1;
  const last = found.length > pageSize ? rows.at(-1) : undefined;
  const next = last && {
    now: scope.now,
    page: page + 1,
    lastSeenMicros: Number(last.last_seen),
    userId: String(last.user_id),
  };
  const links = linksOf(app.settings);
  return {
    data: rows.map((row) => userRecord(row, request.show_only, links)),
    pagination: {
      page_size: pageSize,
      current_page: page,
      next_page: next?.page ?? null,
      has_more: next !== undefined,
      next_cursor: next ? sealCursor(next, query, cursorSecret) : '',
    },
  };
}

const paged = (rows: readonly object[], page: number, pageSize: number): Answer => ({
  data: rows.slice((page - 1) * pageSize, page * pageSize),
  pagination: pagination(page, pageSize, rows.length),
});

const pagination = (current: number, pageSize: number, total: number): Pagination => ({
  current,
  next: current * pageSize < total ? current + 1 : null,
  total,
});
