import type { CountName, Metric } from '../../../shared/analytics/metrics.ts';
import { own, type Sql, sql } from '../engines/sql.ts';
import { columnOf } from './columns.ts';
import { aggregate, type Question } from './question.ts';

const COUNTS: Readonly<Record<CountName<'session'>, Sql>> = {
  session_count: own('count(*)'),
  session_unique_user_count: own('count(DISTINCT s.user_id)'),
  session_new_users_count: own('count(DISTINCT CASE WHEN s.session_number = 1 THEN s.user_id END)'),
};

/** How the app was used: sessions, their users, and how long and how smoothly they went. */
export const sessionAnalytics = (question: Question<'session'>): Sql =>
  aggregate(question, question.metrics.map(measure));

function measure(metric: Metric<'session'>): Sql {
  if (metric.kind === 'count') return COUNTS[metric.count];
  const subject = columnOf('session', metric.number);
  if (subject === undefined) throw new TypeError(`no column for the metric ${metric.key}`);
  return sql`${own(metric.operation)}(${subject})`;
}
