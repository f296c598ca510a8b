import { type SqlBool, sql } from 'kysely';
import type { Metric } from '../../../shared/contract/aggregations.ts';
import { ATTRIBUTES, type Resource } from '../../../shared/contract/attributes.ts';
import type { Filter } from '../../../shared/contract/filters.ts';
import { type GroupBy, OTHERS } from '../../../shared/contract/grouping.ts';
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
  readonly filters: readonly Filter[];
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
  allOf([visible(now), within(recordedAt, [span]), portable.inDays(utcDay(span.from), utcDay(span.to - 1))]);

/** The day, in the form of partition names. */
export const utcDay = (at: Millis): string => new Date(at).toISOString().slice(0, 10);

/** The filters on rows of a resource, as conditions to be ANDed; the window is a separate condition. */
export function rowTests(resource: Resource, filters: readonly Filter[], scope: Scope): Test[] {
  return filters
    .filter((filter) => ATTRIBUTES[filter.attribute].type !== 'window')
    .map((filter) => {
      const { type } = ATTRIBUTES[filter.attribute];
      if (type === 'bucket') return asTest(conditionOn(filter, recordedAt, scope.zone));
      const subject = columnOf(resource, filter.attribute);
      return subject ? asTest(conditionOn(filter, subject, scope.zone)) : eventTest(filter, scope);
    });
}

/** Sessions with at least one matching event; a negation selects sessions without one. */
function eventTest(filter: Filter, { zone, now }: Scope): Test {
  const subject = columnOf('event', filter.attribute);
  if (subject === undefined) throw new TypeError(`no column for the filter ${filter.attribute}`);
  const { negative, positive } = conditionOn(filter, subject, zone);
  const matching = db
    .selectFrom('events')
    .select('session_id')
    .where(allOf([visible(now), positive]));
  return asTest({ negative, positive: isIn(column('session_id'), matching) });
}

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
