import type { CountName, Metric } from '../../../shared/analytics/metrics.ts';
import { own, type Sql, sql } from '../engines/sql.ts';
import { columnOf, propertyNumber } from './columns.ts';
import { aggregate, type Question } from './question.ts';

const COUNTS: Readonly<Record<CountName<'event'>, Sql>> = {
  event_count: own('count(*)'),
  event_unique_user_count: own('count(DISTINCT e.user_id)'),
  event_unique_session_count: own('count(DISTINCT e.session_id)'),
};

/** How much was done: events, and the users and sessions they came from. */
export const eventAnalytics = (question: Question<'event'>): Sql =>
  aggregate(question, question.metrics.map(measure));

function measure(metric: Metric<'event'>): Sql {
  if (metric.kind === 'count') return COUNTS[metric.count];
  const map = columnOf('event', metric.number);
  if (map === undefined) throw new TypeError(`no column for the metric ${metric.key}`);
  return sql`${own(metric.operation)}(${propertyNumber(map, metric.propertyName ?? '')})`;
}
