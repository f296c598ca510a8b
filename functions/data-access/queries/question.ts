import { ATTRIBUTES, type Resource } from '../../../shared/analytics/attributes.ts';
import type { Filter } from '../../../shared/analytics/filters.ts';
import { type GroupBy, OTHERS } from '../../../shared/analytics/grouping.ts';
import type { Metric } from '../../../shared/analytics/metrics.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { offsetPeriods, type Span } from '../calendar.ts';
import {
  allOf,
  closed,
  column,
  joined,
  list,
  moment,
  own,
  type Relation,
  type Sql,
  sql,
} from '../engines/sql.ts';
import { baseOf, bucketColumn, columnOf, groupColumn, recordedAt, within } from './columns.ts';
import { asSql, conditionOn } from './conditions.ts';

/** What every query needs to know: nothing uploaded after `now` exists, and days begin in `zone`. */
export interface Scope {
  readonly zone: string;
  readonly now: Millis;
}

/** An analytics question over one span. Answers carry columns g0, g1, ... (groups) and m0, m1, ... (metrics). */
export interface Question<R extends Resource> extends Scope {
  readonly resource: R;
  readonly filters: readonly Filter[];
  readonly groups: readonly GroupBy[];
  readonly metrics: readonly Metric<R>[];
  readonly span: Span;
  /** By group: the keys kept apart, all others being folded into one; undefined folds nothing. */
  readonly kept?: readonly (readonly (string | null)[] | undefined)[];
}

export const visible = (relation: Relation, now: Millis): Sql =>
  sql`${column(relation, 'uploaded_at')} <= ${moment(now)}`;

export const inSpan = (base: Relation, { span, now }: { span: Span; now: Millis }): Sql =>
  allOf([visible(base, now), within(recordedAt(base), [span])]);

/** The tables that `pieces` read, joined only where they are read. */
export function fromTables(base: Relation, pieces: readonly Sql[], now: Millis): Sql {
  const reads = (relation: Relation) => pieces.some((piece) => piece.reads.has(relation));
  const start = base === 'e' ? own('FROM events e') : own('FROM sessions s');
  const sessions = sql`LEFT JOIN sessions s ON s.session_id = e.session_id AND ${visible('s', now)}`;
  const first = sql`LEFT JOIN sessions f ON f.user_id = ${column(base, 'user_id')} AND f.session_number = 1
    AND ${visible('f', now)}`;
  const joins = [...(base === 'e' && reads('s') ? [sessions] : []), ...(reads('f') ? [first] : [])];
  return joined([start, ...joins], ' ');
}

/** The filters on rows of events or sessions, as conditions to be ANDed; the window is asked for elsewhere. */
export function rowConditions(resource: Resource, filters: readonly Filter[], scope: Scope): Sql[] {
  return filters
    .filter((filter) => ATTRIBUTES[filter.attribute].type !== 'window')
    .map((filter) => {
      const { type } = ATTRIBUTES[filter.attribute];
      if (type === 'bucket') return asSql(conditionOn(filter, recordedAt(baseOf(resource)), scope.zone));
      const subject = columnOf(resource, filter.attribute);
      return subject ? asSql(conditionOn(filter, subject, scope.zone)) : eventCondition(filter, scope);
    });
}

/** Sessions by their events: one that matches is enough, and a negation means that none does. */
function eventCondition(filter: Filter, { zone, now }: Scope): Sql {
  const subject = columnOf('event', filter.attribute);
  if (subject === undefined) throw new TypeError(`no column for the filter ${filter.attribute}`);
  const { negative, positive } = conditionOn(filter, subject, zone);
  const matching = sql`SELECT e.session_id FROM events e WHERE ${visible('e', now)} AND ${positive}`;
  return asSql({ negative, positive: sql`s.session_id IN (${closed(matching)})` });
}

/** The key columns of a question: g0, g1, ... */
export function keyColumns({ resource, groups, kept, span, zone }: Question<Resource>): Sql[] {
  return groups.map((group, index) => {
    const { unit } = ATTRIBUTES[group.attribute];
    if (unit) return bucketColumn(recordedAt(baseOf(resource)), unit, offsetPeriods(span, zone));
    return folded(groupColumn(resource, group), kept?.[index]);
  });
}

function folded(key: Sql, kept: readonly (string | null)[] | undefined): Sql {
  if (kept === undefined) return key;
  const named = kept.filter((value) => value !== null);
  const tests = [
    ...(named.length > 0 ? [sql`${key} IN (${list(named)})`] : []),
    ...(named.length < kept.length ? [sql`${key} IS NULL`] : []),
  ];
  return sql`CASE WHEN ${joined(tests, ' OR ')} THEN ${key} ELSE ${OTHERS} END`;
}

export const aliased = (columns: readonly Sql[], prefix: 'g' | 'm'): Sql[] =>
  columns.map((piece, index) => sql`${piece} AS ${own(`${prefix}${index}`)}`);

/** `GROUP BY` the first `count` columns. A group of no rows is no row, also where nothing is grouped. */
export const grouped = (count: number): Sql =>
  own(
    `${count > 0 ? `GROUP BY ${Array.from({ length: count }, (_, at) => at + 1).join()}` : ''} HAVING count(*) > 0`,
  );

/** The question put to rows of events or sessions directly. */
export function aggregate(question: Question<'event'> | Question<'session'>, measures: readonly Sql[]): Sql {
  const base = baseOf(question.resource);
  const keys = keyColumns(question);
  const conditions = rowConditions(question.resource, question.filters, question);
  const columns = joined([...aliased(keys, 'g'), ...aliased(measures, 'm')], ', ');
  const tables = fromTables(base, [...keys, ...measures, ...conditions], question.now);
  const where = allOf([inSpan(base, question), ...conditions]);
  return sql`SELECT ${columns} ${tables} WHERE ${where} ${grouped(keys.length)}`;
}
