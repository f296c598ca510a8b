import { sql } from 'kysely';
import type { CountName, Metric } from '../../../shared/contract/metrics.ts';
import { type Batch, column, portable, type Query } from '../engines/query.ts';
import { fractionalOperation } from './operations.ts';
import { aggregate, type Question } from './question.ts';

const countWhere = (flag: 'is_entry' | 'is_exit' | 'is_bounce'): Batch =>
  sql`sum(case when ${column(flag)} then 1 else 0 end)`;

const share = (part: Batch, whole: Batch): Batch =>
  sql`coalesce(${portable.asDouble(part)} / nullif(${portable.asDouble(whole)}, 0), 0)`;

const VISITS = sql`count(*)`;
const COUNTS: Readonly<Record<CountName<'screen'>, Batch>> = {
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
  aggregate(question, question.metrics.map(measure));

const measure = (metric: Metric<'screen'>): Batch =>
  metric.kind === 'count'
    ? COUNTS[metric.count]
    : fractionalOperation(metric.operation, column('time_on_screen_sec'));
