import { sql } from 'kysely';
import type { Metric } from '../../../shared/contract/metrics.ts';
import { aliased, allOf, type Batch, column, db, firstColumns, type Query } from '../engines/query.ts';
import { fractionalOperation, operation } from './operations.ts';
import { inSpan, keyColumns, notEmpty, type Question } from './question.ts';
import { totals, userTests } from './users.ts';

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
      ...aliased(question.metrics.map(measure), 'm'),
    ])
    .$if(keys.length > 0, (query) => query.groupBy(firstColumns(keys.length)))
    .having(notEmpty);
}

function measure(metric: Metric<'user'>): Batch {
  if (metric.kind === 'operation') {
    const measured = metric.number === 'user_session_duration' ? fractionalOperation : operation;
    return measured(metric.operation, sql.ref(metric.number));
  }
  return metric.count === 'user_count' ? sql`count(*)` : sql`sum(${sql.ref('is_new')})`;
}
