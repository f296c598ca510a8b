import { type SqlBool, sql } from 'kysely';
import type { Metric } from '../../../shared/contract/aggregations.ts';
import { ATTRIBUTES, type Resource } from '../../../shared/contract/attributes.ts';
import { type GroupBy, OTHERS } from '../../../shared/contract/grouping.ts';
import type { FilterGroup, QueryFilter } from '../../../shared/contract/query-filters.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import {
  aliased,
  allOf,
  anyOf,
  type Batch,
  column,
  db,
  firstColumns,
  isIn,
  not,
  portable,
  type Query,
  type Test,
} from '../engines/query.ts';
import { offsetPeriods, type Span } from '../time/calendar.ts';
import { bucketColumn, columnOf, groupColumn, recordedAt, TABLE_OF, within } from './columns.ts';
import { asTest, conditionOn } from './conditions.ts';

/** What every query needs to know: nothing uploaded after `now` exists, and days begin in `zone`. */
export interface Scope {
  readonly zone: string;
  readonly now: Millis;
}

/** An analytics request over one span. Its rows have the columns g0, g1, ... (groups) and m0, m1, ... (metrics). */
export interface Question<R extends Resource> extends Scope {
  readonly resource: R;
  readonly filters: readonly QueryFilter[];
  readonly groups: readonly GroupBy[];
  readonly metrics: readonly Metric<R>[];
  readonly span: Span;
  /** For each group, the keys to keep; all others become `others`. Undefined keeps all. */
  readonly kept?: readonly (readonly (string | null)[] | undefined)[];
}

/** Builds the query of one resource. */
export type ToQuery<R extends Resource> = (question: Question<R>) => Query;

export const visible = (now: Millis): Test => sql<SqlBool>`${column('uploaded_at')} <= ${now}`;

export const inSpan = ({ span, now }: { span: Span; now: Millis }): Test =>
  allOf([visible(now), ...recordedIn(span)]);

/** Whether a row was recorded in a span, also for the engines that read by days. */
export const recordedIn = (span: Span): Test[] => [
  within(recordedAt, [span]),
  portable.inDays(utcDay(span.from), utcDay(span.to - 1)),
];

/** The day, in the form of partition names. */
export const utcDay = (at: Millis): string => new Date(at).toISOString().slice(0, 10);

/** The filters on rows of a resource, as conditions to be ANDed; the window is a separate condition. */
export const rowTests = (resource: Resource, filters: readonly QueryFilter[], scope: Scope): Test[] =>
  filters.flatMap((filter) => rowTest(resource, filter, scope) ?? []);

function rowTest(resource: Resource, filter: QueryFilter, scope: Scope): Test | undefined {
  if ('did' in filter) return hasEvent(rowTests('event', filter.did, scope), scope);
  if (!('attribute' in filter))
    return groupTest(filter, (filters, combine) => combine(rowTests(resource, filters, scope)));
  const { type } = ATTRIBUTES[filter.attribute];
  if (type === 'window') return undefined;
  const own = type === 'bucket' ? recordedAt : columnOf(resource, filter.attribute);
  if (own) return asTest(conditionOn(filter, own, scope.zone));
  const ofEvent = columnOf('event', filter.attribute);
  if (ofEvent === undefined) throw new TypeError(`no column for the filter ${filter.attribute}`);
  const { negative, positive } = conditionOn(filter, ofEvent, scope.zone);
  return asTest({ negative, positive: hasEvent([positive], scope) });
}

/** A group, by the test of other filters, combined with OR or AND. */
export const groupTest = (
  group: FilterGroup,
  testOf: (filters: readonly QueryFilter[], combine: typeof allOf) => Test,
): Test => ('any' in group ? testOf(group.any, anyOf) : not(testOf([{ did: group.did_not }], allOf)));

/** Whether the session has an event that passes all tests. */
const hasEvent = (tests: readonly Test[], { now }: Scope): Test =>
  isIn(
    column('session_id'),
    db
      .selectFrom('events')
      .select('session_id')
      .where(allOf([visible(now), ...tests])),
  );

/** The key columns: g0, g1, ... */
export function keyColumns({ resource, groups, kept, span, zone }: Question<Resource>): Batch[] {
  return groups.map((group, index) => {
    const { unit } = ATTRIBUTES[group.attribute];
    if (unit) return bucketColumn(unit, offsetPeriods(span, zone));
    return folded(groupColumn(resource, group), kept?.[index]);
  });
}

function folded(key: Batch, kept: readonly (string | null)[] | undefined): Batch {
  if (kept === undefined) return key;
  const named = kept.filter((value) => value !== null);
  const tests = [
    ...(named.length > 0 ? [isIn(key, named)] : []),
    ...(named.length < kept.length ? [sql<SqlBool>`${key} is null`] : []),
  ];
  return sql`case when ${anyOf(tests)} then ${key} else ${OTHERS} end`;
}

/** Without this, a query without groups returns a row even if nothing matches. */
export const notEmpty = sql<SqlBool>`count(*) > 0`;

/** A query that aggregates the rows of a resource directly. */
export function aggregate(question: Question<Resource>, measures: readonly Batch[]): Query {
  const keys = keyColumns(question);
  const conditions = [inSpan(question), ...rowTests(question.resource, question.filters, question)];
  return db
    .selectFrom(TABLE_OF[question.resource])
    .select([...aliased(keys, 'g'), ...aliased(measures, 'm')])
    .where(allOf(conditions))
    .$if(keys.length > 0, (query) => query.groupBy(firstColumns(keys.length)))
    .having(notEmpty);
}
