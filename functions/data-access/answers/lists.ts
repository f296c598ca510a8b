import type { Resource } from '../../../shared/analytics/attributes.ts';
import type { Filter } from '../../../shared/analytics/filters.ts';
import type { Section } from '../../../shared/analytics/requests.ts';
import type { Ask, Row } from '../engines/engine.ts';
import type { Scope } from '../queries/question.ts';
import {
  countRows,
  countsByStretch,
  type RowList,
  rowsAfter,
  rowsAt,
  stretchOf,
} from '../queries/row-list.ts';
import { countUsers, usersOf } from '../queries/user-list.ts';
import { localTime, type Span } from '../time/calendar.ts';
import { windowOf } from '../time/windows.ts';
import { openCursor, sealCursor, type Walk } from './cursor.ts';
import { eventRecord } from './event-records.ts';
import { linksOf } from './links.ts';
import { pagePlace } from './page-location.ts';
import { type Answer, askerOf, type Call, numbered, spanWithStart } from './read-context.ts';
import { sessionRecord } from './session-records.ts';
import { userRecord } from './user-records.ts';

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
 * One page of events or sessions, and how many there are on all pages. Pages are counted off anew at each request, as
 * the legacy contract knows no cursor: they move when something is uploaded between two of them.
 */
export function listRowsLegacy(resource: RowList['resource']) {
  return async (request: LegacyRequest, call: Call): Promise<Answer> => {
    const { page, page_size: take } = request;
    const asked: RowList = { resource, ...(await listed(resource, request, call)) };
    const skip = (page - 1) * take;
    const read = skip + take <= FEW ? readNear : readFar;
    const { total, rows } = await read(askerOf(call), asked, { skip, take });
    return { data: rows.map(recordOf(resource, call)), pagination: numbered(page, take, total) };
  };
}

/** So many rows an engine keeps in order as it reads; of more, it would keep far too much. */
const FEW = 500;

interface Cut {
  readonly skip: number;
  readonly take: number;
}

async function readNear(ask: Ask, asked: RowList, { skip, take }: Cut) {
  const [[counted], rows] = await Promise.all([
    ask(countRows(asked)),
    ask(rowsAt(asked, { ...asked.span, offset: skip }, take)),
  ]);
  return { total: Number(counted?.n), rows };
}

/** Counts first where the page lies, and puts in order only what lies there: any page costs what the others do. */
async function readFar(ask: Ask, asked: RowList, cut: Cut) {
  const counts = (await ask(countsByStretch(asked))).map(({ starts, n }) => ({
    starts: Number(starts),
    n: Number(n),
  }));
  const place = pagePlace(counts, stretchOf(asked.span), cut);
  const rows = place ? await ask(rowsAt(asked, place, cut.take)) : [];
  return { total: counts.reduce((sum, { n }) => sum + n, 0), rows };
}

/** Events or sessions of a JSON body, along a cursor. */
export function listRowsBody(resource: RowList['resource']) {
  return async (request: BodyRequest, call: Call): Promise<Answer> => {
    const id = resource === 'event' ? 'event_id' : 'session_id';
    const { rows, pagination } = await walked(resource, request, call, {
      read: (asked, last, limit) => askerOf(call)(rowsAfter({ resource, ...asked }, last, limit)),
      standing: (row) => ({ at: Number(row.recorded_at), id: String(row[id]) }),
    });
    return { data: rows.map(recordOf(resource, call)), pagination };
  };
}

/** One page of users, and how many there are on all pages. */
export async function listUsersLegacy(request: LegacyRequest & Shown, call: Call): Promise<Answer> {
  const { page, page_size: limit } = request;
  const asked = await listed('user', request, call);
  const ask = askerOf(call);
  const [[counted], rows] = await Promise.all([
    ask(countUsers(asked)),
    ask(usersOf(asked, { offset: (page - 1) * limit, limit })),
  ]);
  return {
    data: rows.map(userRecordOf(request, call)),
    pagination: numbered(page, limit, Number(counted?.n)),
  };
}

/** Users of a JSON body, along a cursor. */
export async function listUsersBody(request: BodyRequest & Shown, call: Call): Promise<Answer> {
  const { rows, pagination } = await walked('user', request, call, {
    read: (asked, last, limit) => askerOf(call)(usersOf(asked, { limit, ...(last && { last }) })),
    standing: (row) => ({ at: Number(row.last_seen), id: String(row.user_id) }),
  });
  return { data: rows.map(userRecordOf(request, call)), pagination };
}

interface Listed extends Scope, ListRequest {
  readonly span: Span;
}

async function listed(resource: Resource, { filters }: ListRequest, call: Call): Promise<Listed> {
  const { now } = call;
  const { zone } = call.app.settings;
  const { span } = windowOf(filters, zone, now);
  return { filters, zone, now, span: await spanWithStart(askerOf(call), resource, { span, now }) };
}

type Standing = Pick<Walk, 'at' | 'id'>;

interface WalkThrough {
  read(asked: Listed, last: Standing | undefined, limit: number): Promise<readonly Row[]>;
  /** By what a row is listed. */
  standing(row: Row): Standing;
}

/** The next page of a walk, read with one row more to see whether it is the last. */
async function walked(
  resource: Resource,
  { cursor, ...query }: BodyRequest,
  call: Call,
  { read, standing }: WalkThrough,
) {
  // What a cursor is good for.
  const walkThrough = { resource, ...query };
  const { page_size: pageSize } = query;
  const walk = cursor === undefined ? undefined : openCursor(cursor, walkThrough, call.cursorSecret);
  const now = walk?.now ?? call.now;
  const found = await read(await listed(resource, query, { ...call, now }), walk, pageSize + 1);
  const rows = found.slice(0, pageSize);
  const page = walk?.page ?? 1;
  const last = found.length > pageSize ? rows.at(-1) : undefined;
  const next = last && { now, page: page + 1, ...standing(last) };
  return {
    rows,
    pagination: {
      page_size: pageSize,
      current_page: page,
      next_page: next?.page ?? null,
      has_more: next !== undefined,
      next_cursor: next ? sealCursor(next, walkThrough, call.cursorSecret) : '',
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
