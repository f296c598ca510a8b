import type { Resource } from '../../../shared/contract/attributes.ts';
import type { QueryFilter } from '../../../shared/contract/query-filters.ts';
import type { Section } from '../../../shared/contract/requests.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import type { Row, RunQuery } from '../engines/engine.ts';
import type { Query } from '../engines/query.ts';
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
  readonly filters: readonly QueryFilter[];
  readonly page_size: number;
  /** Of users. */
  readonly show_only?: readonly Section[] | undefined;
}

interface Listed extends Scope {
  readonly filters: readonly QueryFilter[];
  readonly span: Span;
}

type SortKey = Pick<CursorPosition, 'at' | 'id'>;

interface PageRange {
  readonly skip: number;
  readonly take: number;
}

/** A list of a resource in the order of its pages. */
interface Listing {
  readonly resource: Resource;
  /** A page by its number, and the total of all pages. */
  pageAt(
    runQuery: RunQuery,
    list: Listed,
    range: PageRange,
  ): Promise<{ total: number; rows: readonly Row[] }>;
  /** The rows after `last`, or the first rows. */
  after(list: Listed, last: SortKey | undefined, limit: number): Query;
  sortKeyOf(row: Row): SortKey;
  recordOf(request: ListRequest, call: Call): (row: Row) => object;
}

/** Events or sessions, newest first. */
export const rowListing = (resource: RowList['resource']): Listing => ({
  resource,
  pageAt: (runQuery, list, range) =>
    (range.skip + range.take <= MAX_SORTED_ROWS ? readNear : readFar)(runQuery, { resource, ...list }, range),
  after: (list, last, limit) => rowsAfter({ resource, ...list }, last, limit),
  sortKeyOf: (row) => ({ at: Number(row.recorded_at), id: String(row[`${resource}_id`]) }),
  recordOf(_, { app: { settings } }) {
    const links = linksOf(settings);
    return resource === 'event'
      ? (row) => eventRecord(row, links)
      : (row) => sessionRecord(row, links, (at) => localTime(at, settings.zone));
  },
});

/** Users, last seen first. */
export const USERS: Listing = {
  resource: 'user',
  pageAt: (runQuery, list, { skip: offset, take: limit }) =>
    readBoth(runQuery, countUsers(list), usersOf(list, { offset, limit })),
  after: (list, last, limit) => usersOf(list, { limit, ...(last && { last }) }),
  sortKeyOf: (row) => ({ at: Number(row.last_seen), id: String(row.user_id) }),
  recordOf({ show_only: sections = [] }, { app }) {
    const links = linksOf(app.settings);
    return (row) => userRecord(row, sections, links);
  },
};

/** Up to this many rows, an engine can sort while it reads. More would need too much memory. */
const MAX_SORTED_ROWS = 500;

const readNear = (runQuery: RunQuery, list: RowList, { skip, take }: PageRange) =>
  readBoth(runQuery, countRows(list), rowsAt(list, { ...list.span, offset: skip }, take));

async function readBoth(runQuery: RunQuery, count: Query, page: Query) {
  const [[counted], rows] = await Promise.all([runQuery(count), runQuery(page)]);
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

function listed({ filters }: ListRequest, { now, app }: Pick<Call, 'now' | 'app'>): Listed {
  const { zone } = app.settings;
  return { filters, zone, now, span: windowOf(filters, zone, now).span };
}

/** A page by its number. Pages are computed for each request and shift when data is uploaded in between. */
export const listLegacy =
  (listing: Listing) =>
  async (request: ListRequest & { readonly page: number }, call: Call): Promise<Answer> => {
    const { page, page_size: take } = request;
    const range = { skip: (page - 1) * take, take };
    const { total, rows } = await listing.pageAt(queryRunner(call), listed(request, call), range);
    return { data: rows.map(listing.recordOf(request, call)), pagination: numbered(page, take, total) };
  };

/** The next page by cursor. Reads one more row to know whether it is the last page. */
export const listBody =
  (listing: Listing) =>
  async (
    { cursor, ...query }: ListRequest & { readonly cursor?: string | undefined },
    call: Call,
  ): Promise<Answer> => {
    // The query that the cursor is valid for.
    const cursorQuery = { resource: listing.resource, ...query };
    const { page_size: pageSize } = query;
    const position = cursor === undefined ? undefined : decodeCursor(cursor, cursorQuery, call.cursorSecret);
    const now = position?.now ?? call.now;
    const list = listed(query, { ...call, now });
    const found = await queryRunner(call)(listing.after(list, position, pageSize + 1));
    const rows = found.slice(0, pageSize);
    const page = position?.page ?? 1;
    const last = found.length > pageSize ? rows.at(-1) : undefined;
    const next = last && { now, page: page + 1, ...listing.sortKeyOf(last) };
    return {
      data: rows.map(listing.recordOf(query, call)),
      pagination: {
        page_size: pageSize,
        current_page: page,
        next_page: next?.page ?? null,
        has_more: next !== undefined,
        next_cursor: next ? encodeCursor(next, cursorQuery, call.cursorSecret) : '',
      },
    };
  };

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
