import type { Metric } from '../../../shared/analytics/metrics.ts';
import { allOf, joined, own, type Sql, sql } from '../engines/sql.ts';
import { aliased, fromTables, grouped, inSpan, keyColumns, type Question } from './question.ts';
import { TOTALS, userConditions } from './users.ts';

/**
 * Who used the app. Each user is summed up within each group first, by the sessions that fall into it, so one with
 * sessions on two platforms counts in both.
 */
export function userAnalytics(question: Question<'user'>): Sql {
  const keys = keyColumns(question);
  const totals = Object.entries(TOTALS).map(([name, total]) => sql`${total} AS ${own(name)}`);
  const perUser = [...aliased(keys, 'g'), own('bool_or(s.session_number = 1) AS is_new'), ...totals];
  const where = allOf([inSpan('s', question), ...userConditions(question.filters, question.span, question)]);
  const users = sql`SELECT ${joined(perUser, ', ')} ${fromTables('s', keys, question.now)} WHERE ${where}
    GROUP BY ${joined([own('s.user_id'), ...keys.map((_, at) => own(`g${at}`))], ', ')}`;
  const columns = [...keys.map((_, at) => own(`g${at}`)), ...aliased(question.metrics.map(measure), 'm')];
  return sql`SELECT ${joined(columns, ', ')} FROM (${users}) ${grouped(keys.length)}`;
}

function measure(metric: Metric<'user'>): Sql {
  if (metric.kind === 'operation') return own(`${metric.operation}(${metric.number})`);
  return metric.count === 'user_count' ? own('count(*)') : own('count(*) FILTER (WHERE is_new)');
}
