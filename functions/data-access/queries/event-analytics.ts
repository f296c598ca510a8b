import { sql } from 'kysely';
import type { CountName, Metric } from '../../../shared/contract/metrics.ts';
import { type Batch, column, portable, type Query } from '../engines/query.ts';
import { fractionalOperation } from './operations.ts';
import { aggregate, type Question } from './question.ts';

const COUNTS: Readonly<Record<CountName<'event'>, Batch>> = {
  event_count: sql`count(*)`,
  event_unique_user_count: sql`count(distinct ${column('user_id')})`,
  event_unique_session_count: sql`count(distinct ${column('session_id')})`,
};

/** Metrics of events, and of their users and sessions. */
export const eventAnalytics = (question: Question<'event'>): Query =>
  aggregate(question, question.metrics.map(measure));

function measure(metric: Metric<'event'>): Batch {
  if (metric.kind === 'count') return COUNTS[metric.count];
  const number = portable.propertyNumber(column('properties'), metric.propertyName ?? '');
  return fractionalOperation(metric.operation, number);
}
