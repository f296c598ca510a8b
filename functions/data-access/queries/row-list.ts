import { type SqlBool, sql } from 'kysely';
import type { Filter } from '../../../shared/analytics/filters.ts';
import type { TableName, Tables } from '../../../shared/analytics/tables.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { allOf, column, db, portable, type Query } from '../engines/query.ts';
import type { Span } from '../time/calendar.ts';
import { recordedAt, within } from './columns.ts';
import { inSpan, rowTests, type Scope } from './question.ts';

/** The rows that a list of events or sessions is made of: newest first, then by id. */
export interface RowList extends Scope {
  readonly resource: 'event' | 'session';
  readonly filters: readonly Filter[];
  readonly span: Span;
}

type Columns<Table extends TableName> = readonly (keyof Tables[Table] & string)[];

const EVENT_COLUMNS: Columns<'events'> = [
  ...([
    'event_id',
    'event_name',
    'screen_name',
    'session_id',
    'user_id',
    'recorded_at',
    'properties',
  ] as const),
  ...(['has_video', 'duration_sec', 'user_name', 'device_model', 'platform', 'user_properties'] as const),
];
const SESSION_COLUMNS: Columns<'sessions'> = [
  ...(['session_id', 'user_id', 'user_name', 'user_properties', 'session_number'] as const),
  ...([
    'recorded_at',
    'uploaded_at',
    'duration_sec',
    'offline',
    'has_video',
    'crashed',
    'network_type',
  ] as const),
  ...([
    'gesture_count',
    'rage_gesture_count',
    'responsive_gesture_count',
    'unresponsive_gesture_count',
  ] as const),
  ...([
    'screen_count',
    'unique_screen_count',
    'platform',
    'device_id',
    'device_model',
    'device_class',
  ] as const),
  ...(['device_manufacturer', 'os_name', 'os_version', 'app_version', 'sdk_version', 'language'] as const),
  ...(['country_code', 'country', 'city'] as const),
];

const LISTED = {
  event: { table: 'events', id: 'event_id', columns: EVENT_COLUMNS },
  session: { table: 'sessions', id: 'session_id', columns: SESSION_COLUMNS },
} as const;

/** 70 minutes: of the powers of two, which are the quickest to round to, the one nearest to an hour. */
const SHORTEST_STRETCH: Millis = 2 ** 22;
/** No more than this many stretches are counted, however long the span. */
const MAX_STRETCHES = 2000;

/** In how long stretches the rows of a span are counted. */
export const stretchOf = ({ from, to }: Span): Millis =>
  Math.max(SHORTEST_STRETCH, 2 ** Math.ceil(Math.log2(Math.max(1, to - from) / MAX_STRETCHES)));

/** How many rows there are in each stretch of time: `starts` and `n`, empty ones left out. */
export function countsByStretch(list: RowList): Query {
  const starts = portable.floorTo(recordedAt, stretchOf(list.span));
  return db
    .selectFrom(LISTED[list.resource].table)
    .select([sql<number>`${starts}`.as('starts'), sql<number>`count(*)`.as('n')])
    .where(allOf(testsOf(list)))
    .groupBy(sql.lit(1));
}

/** How many rows the list has: `n`. */
export const countRows = (list: RowList): Query =>
  db
    .selectFrom(LISTED[list.resource].table)
    .select(sql<number>`count(*)`.as('n'))
    .where(allOf(testsOf(list)));

/** Where a page lies: in these stretches, after so many of their rows. */
export interface Place extends Span {
  readonly offset: number;
}

/** The rows of one page. */
export function rowsAt(list: RowList, { offset, ...span }: Place, limit: number): Query {
  return rowsWhere(list, within(recordedAt, [span])).modifyEnd(sql`offset ${offset} limit ${limit}`);
}

/** The rows that follow one of the list, or its first. */
export function rowsAfter(list: RowList, last: { at: Millis; id: string } | undefined, limit: number): Query {
  const id = column(LISTED[list.resource].id);
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
    .orderBy(sql.ref(id));
}

const testsOf = (list: RowList) => [inSpan(list), ...rowTests(list.resource, list.filters, list)];
