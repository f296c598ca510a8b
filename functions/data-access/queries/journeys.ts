import { type AliasedExpression, type SqlBool, sql } from 'kysely';
import type { FunnelRequest, RetentionRequest, Step } from '../../../shared/contract/journeys.ts';
import { DAY_MS, MINUTE_MS } from '../../../shared/units/durations.ts';
import {
  aliased,
  allOf,
  type Batch,
  column,
  db,
  firstColumns,
  portable,
  type Query,
  type Test,
} from '../engines/query.ts';
import { offsetPeriods } from '../time/calendar.ts';
import { bucketColumn, recordedAt } from './columns.ts';
import { inSpan, keyColumns, notEmpty, type Question, rowTests, type Scope, visible } from './question.ts';

/** A row for each user in each group: `user_id`, the keys g0, g1, … and the times or marks t1, t2, … */
interface Users {
  readonly query: { as(alias: 'user'): AliasedExpression<object, 'user'> };
  readonly names: readonly string[];
}

type Events = Question<'event'>;

/**
 * The users of each step as m0, m1, …. A user enters a group once, with the first event of the first step in it. The
 * time of each further step is that of its first event after the step before, at most `within_minutes` after the first.
 */
export function funnelUsers({ steps, within_minutes: minutes }: FunnelRequest, question: Events): Query {
  const [first, ...further] = steps;
  const { span, filters } = question;
  const withinMs = minutes * MINUTE_MS;
  const keys = keyColumns(question);
  const entered: Users = {
    query: eventsOf(first, [inSpan(question), ...rowTests('event', filters, question)], question)
      .select([...aliased(keys, 'g'), 'user_id', sql`min(${recordedAt})`.as('t1')])
      .groupBy(firstColumns(keys.length + 1)),
    names: namesOf(keys),
  };
  const later = inSpan({ ...question, span: { from: span.from, to: span.to + withinMs + 1 } });
  const at = sql.ref('next.recorded_at');
  const reached = further.reduce((users, step) => {
    const events = eventsOf(step, [later], question).select(['user_id', 'recorded_at']);
    const last = sql.ref(`user.${users.names.at(-1)}`);
    const follows = sql<SqlBool>`${at} > ${last} and ${at} <= ${sql.ref('user.t1')} + ${withinMs}`;
    return followed(users, events, follows, [sql`min(${at})`]);
  }, entered);
  return counted(reached);
}

/**
 * The users as m0 and, as m1, m2, …, those who are back on each day. A user belongs to the group of the first event that
 * matches, of all time. Day 0 is its day in the zone.
 */
export function retainedUsers(
  { start, return: back, days }: RetentionRequest,
  question: Events,
  until: number,
): Query {
  const { span, zone, now } = question;
  const user = column('user_id');
  const day = bucketColumn('day', offsetPeriods({ from: span.from, to: until }, zone));
  const keys = keyColumns(question);
  const tests = rowTests('event', question.filters, question);
  const firsts = eventsOf(start, [visible(now), ...tests], question)
    .select([sql`${user}`.as('first_user'), sql`min(${recordedAt})`.as('first_at')])
    .groupBy(sql.lit(1));
  const isFirst = sql<SqlBool>`${sql.ref('first_user')} = ${user} and ${sql.ref('first_at')} = ${recordedAt}`;
  // Of events at the same time, the first by id.
  const byId = sql`row_number() over (partition by ${user} order by ${portable.byCharacter(column('event_id'))})`;
  const begun = eventsOf(start, [inSpan(question), ...tests], question)
    .innerJoin(firsts.as('firsts'), (join) => join.on(isFirst))
    .select([...aliased(keys, 'g'), 'user_id', sql`${day}`.as('t1'), byId.as('nth')]);
  const entered = db.selectFrom(begun.as('begun')).selectAll().where('nth', '=', 1);
  const returned = eventsOf(back, [inSpan({ span: { from: span.from, to: until }, now })], question)
    .select(['user_id', sql`${day}`.as('day')])
    .groupBy(firstColumns(2));
  const isDay = (nth: number) => sql`${sql.ref('next.day')} = ${sql.ref('user.t1')} + ${nth * DAY_MS}`;
  const found = days.map((nth) => sql`max(case when ${isDay(nth)} then 1 end)`);
  return counted(followed({ query: entered, names: namesOf(keys) }, returned, sql<SqlBool>`true`, found));
}

/** The events of a step by known users. */
function eventsOf({ event_name: value, filters }: Step = ANY, tests: readonly Test[], scope: Scope) {
  const named = value === undefined ? [] : [{ attribute: 'event_name', operator: 'equal', value } as const];
  const known = sql<SqlBool>`${column('user_id')} is not null`;
  return db
    .selectFrom('events')
    .where(allOf([...tests, known, ...rowTests('event', [...named, ...filters], scope)]));
}
const ANY: Step = { filters: [] };

const namesOf = (keys: readonly Batch[]): string[] => [...keys.map((_, at) => `g${at}`), 'user_id', 't1'];

/** The same users, with further columns from the rows of `next` with the same `user_id`. */
function followed({ query, names }: Users, next: Query, follows: Test, found: Batch[]): Users {
  const more = found.map((_, at) => `t${names.filter((name) => name.startsWith('t')).length + at + 1}`);
  const isSame = sql<SqlBool>`${sql.ref('next.user_id')} = ${sql.ref('user.user_id')} and ${follows}`;
  return {
    query: db
      .selectFrom(query.as('user'))
      .leftJoin(sql`${next}`.as('next'), (join) => join.on(isSame))
      .select([
        ...names.map((name) => sql.ref(`user.${name}`).as(name)),
        ...found.map((each, at) => sql`${each}`.as(more[at] ?? '')),
      ])
      .groupBy(firstColumns(names.length)),
    names: [...names, ...more],
  };
}

function counted({ query, names }: Users): Query {
  const groups = names.filter((name) => name.startsWith('g'));
  const counts = names.filter((name) => name.startsWith('t')).map((name) => sql`count(${sql.ref(name)})`);
  return db
    .selectFrom(query.as('user'))
    .select([...groups.map((name) => sql.ref(name).as(name)), ...aliased(counts, 'm')])
    .$if(groups.length > 0, (each) => each.groupBy(firstColumns(groups.length)))
    .having(notEmpty);
}
