import { sql } from 'kysely';
import type { CountName, Metric } from '../../../shared/contract/aggregations.ts';
import {
  aliased,
  allOf,
  type Batch,
  column,
  db,
  firstColumns,
  portable,
  type Query,
} from '../engines/query.ts';
import { columnOf } from './columns.ts';
import { fractionalOperation, operation, secondsOperation } from './operations.ts';
import { aggregate, inSpan, keyColumns, notEmpty, type Question } from './question.ts';
import { totals, userTests } from './users.ts';

const EVENT_COUNTS: Readonly<Record<CountName<'event'>, Batch>> = {
  event_count: sql`count(*)`,
  event_unique_user_count: sql`count(distinct ${column('user_id')})`,
  event_unique_session_count: sql`count(distinct ${column('session_id')})`,
};

/** Metrics of events, and of their users and sessions. */
export const eventAnalytics = (question: Question<'event'>): Query =>
  aggregate(question, question.metrics.map(eventMetric));

function eventMetric(metric: Metric<'event'>): Batch {
  if (metric.kind === 'count') return EVENT_COUNTS[metric.count];
  const number = portable.propertyNumber(column('properties'), metric.propertyName ?? '');
  return fractionalOperation(metric.operation, number);
}

const SESSION_COUNTS: Readonly<Record<CountName<'session'>, Batch>> = {
  session_count: sql`count(*)`,
  session_unique_user_count: sql`count(distinct ${column('user_id')})`,
  session_new_users_count: sql`count(distinct case when ${column('session_number')} = 1 then ${column('user_id')} end)`,
};

/** Over the sessions of many users. */
const USER_TOTALS: Readonly<Partial<Record<string, Batch>>> = totals();

/** Metrics of sessions: their number, users, duration and gestures. */
export const sessionAnalytics = (question: Question<'session'>): Query =>
  aggregate(question, question.metrics.map(sessionMetric));

function sessionMetric(metric: Metric<'session'>): Batch {
  if (metric.kind === 'count') return SESSION_COUNTS[metric.count];
  const total = USER_TOTALS[metric.number];
  if (total) return total;
  const number = columnOf('session', metric.number);
  if (number === undefined) throw new TypeError(`no column for the metric ${metric.key}`);
  const measured = metric.number === 'session_duration' ? secondsOperation : operation;
  return measured(metric.operation, number);
}

const countWhere = (flag: 'is_entry' | 'is_exit' | 'is_bounce'): Batch =>
  sql`sum(case when ${column(flag)} then 1 else 0 end)`;

const share = (part: Batch, whole: Batch): Batch =>
  sql`coalesce(${portable.asDouble(part)} / nullif(${portable.asDouble(whole)}, 0), 0)`;

const VISITS = sql`count(*)`;
const SCREEN_COUNTS: Readonly<Record<CountName<'screen'>, Batch>> = {
  screen_visits: VISITS,
  unique_users: sql`count(distinct ${column('user_id')})`,
  unique_sessions: sql`count(distinct ${column('session_id')})`,
  rage_gesture_count: sql`sum(${column('visit_rage_gesture_count')})`,
  entries: countWhere('is_entry'),
  exits: countWhere('is_exit'),
  exit_rate: share(countWhere('is_exit'), VISITS),
  bounce_rate: share(countWhere('is_bounce'), countWhere('is_entry')),
};

/** Metrics of screens: visits, their duration, and where sessions start and end. */
export const screenAnalytics = (question: Question<'screen'>): Query =>
  aggregate(question, question.metrics.map(screenMetric));

const screenMetric = (metric: Metric<'screen'>): Batch =>
  metric.kind === 'count'
    ? SCREEN_COUNTS[metric.count]
    : secondsOperation(metric.operation, column('time_on_screen_sec'));

/**
 * Metrics of users. First sums the sessions of each user per group, so a user with sessions on two platforms counts in
 * both.
 */
export function userAnalytics(question: Question<'user'>): Query {
  const keys = keyColumns(question);
  const users = db
    .selectFrom('sessions')
    .select([
      ...aliased(keys, 'g'),
      sql.ref('user_id').as('user_id'),
      sql<number>`max(case when ${column('session_number')} = 1 then 1 else 0 end)`.as('is_new'),
      ...Object.entries(totals()).map(([name, total]) => sql`${total}`.as(name)),
    ])
    .where(allOf([inSpan(question), ...userTests(question.filters, question.span, question)]))
    .groupBy(firstColumns(keys.length + 1));
  return db
    .selectFrom(users.as('users'))
    .select([
      ...keys.map((_, at) => sql.ref(`g${at}`).as(`g${at}`)),
      ...aliased(question.metrics.map(userMetric), 'm'),
    ])
    .$if(keys.length > 0, (query) => query.groupBy(firstColumns(keys.length)))
    .having(notEmpty);
}

function userMetric(metric: Metric<'user'>): Batch {
  if (metric.kind === 'operation') {
    const measured = metric.number === 'user_session_duration' ? secondsOperation : operation;
    return measured(metric.operation, sql.ref(metric.number));
  }
  return metric.count === 'user_count' ? sql`count(*)` : sql`sum(${sql.ref('is_new')})`;
}
