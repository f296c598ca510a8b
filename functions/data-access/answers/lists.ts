import type { Resource } from '../../../shared/contract/attributes.ts';
import type { Filter } from '../../../shared/contract/filters.ts';
import type { Section } from '../../../shared/contract/requests.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import type { Row, RunQuery } from '../engines/engine.ts';
import type { Scope } from '../queries/question.ts';
import {
  countRows,
  countsByStretch,
  type Place,
  type RowList,
  rowsAfter,
  rowsAt,
  stretchOf,
} from '../queries/row-list.ts';
import { countUsers, usersOf } from '../queries/user-list.ts';
import { localTime, type Span } from '../time/calendar.ts';
import { windowOf } from '../time/windows.ts';
import { type CursorPosition, decodeCursor, encodeCursor } from './cursor.ts';
import { linksOf } from './links.ts';
import { type Answer, type Call, numbered, queryRunner } from './read-context.ts';
import { eventRecord, sessionRecord, userRecord } from './records.ts';

interface ListRequest {
  readonly filters: readonly Filter[];
}
interface LegacyRequest extends ListRequest {
  readonly page: number;
  readonly page_size: number;
}
interface BodyRequest extends ListRequest {
  readonly page_size: number;
  readonly cursor?: string | undefined;
}
interface Shown {
  readonly show_only: readonly Section[];
}

/**
 * One page of events or sessions, and the total of all pages. The legacy API has no cursor, so pages are computed for
 * each request and shift when data is uploaded in between.
 */
export function listRowsLegacy(resource: RowList['resource']) {
  return async (request: LegacyRequest, call: Call): Promise<Answer> => {
    const { page, page_size: take } = request;
    const list: RowList = { resource, ...listed(request, call) };
    const skip = (page - 1) * take;
    const read = skip + take <= MAX_SORTED_ROWS ? readNear : readFar;
    const { total, rows } = await read(queryRunner(call), list, { skip, take });
    return { data: rows.map(recordOf(resource, call)), pagination: numbered(page, take, total) };
  };
}

/** Up to this many rows, an engine can sort while it reads. More would need too much memory. */
const MAX_SORTED_ROWS = 500;

interface PageRange {
  readonly skip: number;
  readonly take: number;
}

async function readNear(runQuery: RunQuery, list: RowList, { skip, take }: PageRange) {
  const [[counted], rows] = await Promise.all([
    runQuery(countRows(list)),
    runQuery(rowsAt(list, { ...list.span, offset: skip }, take)),
  ]);
  return { total: Number(counted?.n), rows };
}

/** Finds the page by counting rows per interval, and sorts only that interval, so every page costs the same. */
async function readFar(runQuery: RunQuery, list: RowList, range: PageRange) {
  const counts = (await runQuery(countsByStretch(list))).map(({ starts, n }) => ({
    starts: Number(starts),
    n: Number(n),
  }));
  const place = pagePlace(counts, stretchOf(list.span), range);
  const rows = place ? await runQuery(rowsAt(list, place, range.take)) : [];
  return { total: counts.reduce((sum, { n }) => sum + n, 0), rows };
}

/** One page of events or sessions by cursor. */
export function listRowsBody(resource: RowList['resource']) {
  return async (request: BodyRequest, call: Call): Promise<Answer> => {
    const id = resource === 'event' ? 'event_id' : 'session_id';
    const { rows, pagination } = await pageByCursor(resource, request, call, {
      read: (list, last, limit) => queryRunner(call)(rowsAfter({ resource, ...list }, last, limit)),
      sortKeyOf: (row) => ({ at: Number(row.recorded_at), id: String(row[id]) }),
    });
    return { data: rows.map(recordOf(resource, call)), pagination };
  };
}

/** One page of users, and the total of all pages. */
export async function listUsersLegacy(request: LegacyRequest & Shown, call: Call): Promise<Answer> {
  const { page, page_size: limit } = request;
  const list = listed(request, call);
  const runQuery = queryRunner(call);
  const [[counted], rows] = await Promise.all([
    runQuery(countUsers(list)),
    runQuery(usersOf(list, { offset: (page - 1) * limit, limit })),
  ]);
  return {
    data: rows.map(userRecordOf(request, call)),
    pagination: numbered(page, limit, Number(counted?.n)),
  };
}

/** One page of users by cursor. */
export async function listUsersBody(request: BodyRequest & Shown, call: Call): Promise<Answer> {
  const { rows, pagination } = await pageByCursor('user', request, call, {
    read: (list, last, limit) => queryRunner(call)(usersOf(list, { limit, ...(last && { last }) })),
    sortKeyOf: (row) => ({ at: Number(row.last_seen), id: String(row.user_id) }),
  });
  return { data: rows.map(userRecordOf(request, call)), pagination };
}

interface Listed extends Scope, ListRequest {
  readonly span: Span;
}

function listed({ filters }: ListRequest, { now, app }: Pick<Call, 'now' | 'app'>): Listed {
  const { zone } = app.settings;
  return { filters, zone, now, span: windowOf(filters, zone, now).span };
}

type SortKey = Pick<CursorPosition, 'at' | 'id'>;

interface PageReader {
  read(list: Listed, last: SortKey | undefined, limit: number): Promise<readonly Row[]>;
  /** The sort key of a row. */
  sortKeyOf(row: Row): SortKey;
}

/** The next page. Reads one more row to know whether it is the last page. */
async function pageByCursor(
  resource: Resource,
  { cursor, ...query }: BodyRequest,
  call: Call,
  { read, sortKeyOf }: PageReader,
) {
  // The query that the cursor is valid for.
  const cursorQuery = { resource, ...query };
  const { page_size: pageSize } = query;
  const position = cursor === undefined ? undefined : decodeCursor(cursor, cursorQuery, call.cursorSecret);
  const now = position?.now ?? call.now;
  const found = await read(listed(query, { ...call, now }), position, pageSize + 1);
  const rows = found.slice(0, pageSize);
  const page = position?.page ?? 1;
  const last = found.length > pageSize ? rows.at(-1) : undefined;
  const next = last && { now, page: page + 1, ...sortKeyOf(last) };
  return {
    rows,
    pagination: {
      page_size: pageSize,
      current_page: page,
      next_page: next?.page ?? null,
      has_more: next !== undefined,
      next_cursor: next ? encodeCursor(next, cursorQuery, call.cursorSecret) : '',
    },
  };
}

function recordOf(resource: RowList['resource'], { app }: Call): (row: Row) => object {
  const links = linksOf(app.settings);
  return resource === 'event'
    ? (row) => eventRecord(row, links)
    : (row) => sessionRecord(row, links, (at) => localTime(at, app.settings.zone));
}

function userRecordOf({ show_only: sections }: Shown, { app }: Call): (row: Row) => object {
  const links = linksOf(app.settings);
  return (row) => userRecord(row, sections, links);
}

/** The number of rows in an interval, with the start of the interval. */
interface StretchCount {
  readonly starts: Millis;
  readonly n: number;
}

/**
 * The intervals that contain a page of a list with the newest row first; undefined if the list ends before the page.
 * Only these are sorted, so the thousandth page costs as much as the first.
 */
export function pagePlace(
  counts: readonly StretchCount[],
  length: Millis,
  { skip, take }: { skip: number; take: number },
): Place | undefined {
  const newestFirst = [...counts].sort((a, b) => b.starts - a.starts);
  let before = 0;
  let place: Place | undefined;
  for (const { starts, n } of newestFirst) {
    if (before + n > skip && before < skip + take) {
      place = { from: starts, to: place?.to ?? starts + length, offset: place?.offset ?? skip - before };
    }
    before += n;
  }
  return place;
}
