import { type SqlBool, sql } from 'kysely';
import type { QueryFilter } from '../../../shared/contract/query-filters.ts';
import { GIVEN } from '../../../shared/contract/tables.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { allOf, column, db, portable, type Query } from '../engines/query.ts';
import type { Span } from '../time/calendar.ts';
import { recordedAt, within } from './columns.ts';
import { inSpan, rowTests, type Scope } from './question.ts';

/** The rows of a list of events or sessions: newest first, then by id. */
export interface RowList extends Scope {
  readonly resource: 'event' | 'session';
  readonly filters: readonly QueryFilter[];
  readonly span: Span;
}

const LISTED = {
  event: {
    table: 'events',
    id: 'event_id',
    columns: [
      ...Object.keys(GIVEN.events).filter((name) => name !== 'uploaded_at'),
      ...['has_video', 'duration_sec', 'user_name', 'device_model', 'platform', 'user_properties'],
    ],
  },
  // A record has no list of screens.
  session: {
    table: 'sessions',
    id: 'session_id',
    columns: Object.keys(GIVEN.sessions).filter((name) => name !== 'screens'),
  },
} as const;

/** 70 minutes: the power of two nearest to an hour. Rounding to powers of two is fastest. */
const SHORTEST_STRETCH: Millis = 2 ** 22;
/** The maximum number of intervals, however long the span. */
const MAX_STRETCHES = 2000;

/** The length of the intervals in which the rows of a span are counted. */
export const stretchOf = ({ from, to }: Span): Millis =>
  Math.max(SHORTEST_STRETCH, 2 ** Math.ceil(Math.log2(Math.max(1, to - from) / MAX_STRETCHES)));

/** The number of rows per interval: `starts` and `n`, without empty intervals. */
export function countsByStretch(list: RowList): Query {
  const starts = portable.floorTo(recordedAt, stretchOf(list.span));
  return db
    .selectFrom(LISTED[list.resource].table)
    .select([sql<number>`${starts}`.as('starts'), sql<number>`count(*)`.as('n')])
    .where(allOf(testsOf(list)))
    .groupBy(sql.lit(1));
}

/** The number of rows of the list: `n`. */
export const countRows = (list: RowList): Query =>
  db
    .selectFrom(LISTED[list.resource].table)
    .select(sql<number>`count(*)`.as('n'))
    .where(allOf(testsOf(list)));

/** The location of a page: a span, and the number of its rows to skip. */
export interface Place extends Span {
  readonly offset: number;
}

/** The rows of one page. */
export function rowsAt(list: RowList, { offset, ...span }: Place, limit: number): Query {
  return rowsWhere(list, within(recordedAt, [span])).modifyEnd(portable.page(offset, limit));
}

/** The rows after `last`, or the first rows. */
export function rowsAfter(list: RowList, last: { at: Millis; id: string } | undefined, limit: number): Query {
  const id = portable.byCharacter(column(LISTED[list.resource].id));
  const further = last
    ? sql<SqlBool>`(${recordedAt} < ${last.at} or (${recordedAt} = ${last.at} and ${id} > ${last.id}))`
    : sql<SqlBool>`true`;
  return rowsWhere(list, further).limit(limit);
}

function rowsWhere(list: RowList, further: ReturnType<typeof within>) {
  const { table, id, columns } = LISTED[list.resource];
  return db
    .selectFrom(table)
    .select(columns.map((name) => sql.ref(name).as(name)))
    .where(allOf([...testsOf(list), further]))
    .orderBy(sql.ref('recorded_at'), 'desc')
    .orderBy(portable.byCharacter(column(id)));
}

const testsOf = (list: RowList) => [inSpan(list), ...rowTests(list.resource, list.filters, list)];
