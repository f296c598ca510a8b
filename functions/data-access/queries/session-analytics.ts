import { sql } from 'kysely';
import type { CountName, Metric } from '../../../shared/contract/metrics.ts';
import { type Batch, column, type Query } from '../engines/query.ts';
import { columnOf } from './columns.ts';
import { fractionalOperation, operation } from './operations.ts';
import { aggregate, type Question } from './question.ts';

const COUNTS: Readonly<Record<CountName<'session'>, Batch>> = {
  session_count: sql`count(*)`,
  session_unique_user_count: sql`count(distinct ${column('user_id')})`,
  session_new_users_count: sql`count(distinct case when ${column('session_number')} = 1 then ${column('user_id')} end)`,
};

/** Metrics of sessions: their number, users, duration and gestures. */
export const sessionAnalytics = (question: Question<'session'>): Query =>
  aggregate(question, question.metrics.map(measure));

function measure(metric: Metric<'session'>): Batch {
  if (metric.kind === 'count') return COUNTS[metric.count];
  const number = columnOf('session', metric.number);
  if (number === undefined) throw new TypeError(`no column for the metric ${metric.key}`);
  const measured = metric.number === 'session_duration' ? fractionalOperation : operation;
  return measured(metric.operation, number);
}
