import {
  ATTRIBUTES,
  type AttributeName,
  type AttributeSubject,
} from '../../../shared/analytics/attributes.ts';
import type { Filter } from '../../../shared/analytics/filters.ts';
import type { NumberName } from '../../../shared/analytics/metrics.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import type { Span } from '../calendar.ts';
import { allOf, closed, own, type Sql, sql } from '../engines/sql.ts';
import { asSql, conditionOn } from './conditions.ts';
import { fromTables, inSpan, rowConditions, type Scope, visible } from './question.ts';

/** What a user's sessions add up to. */
export const TOTALS: Readonly<Record<NumberName<'user'>, Sql>> = {
  user_session_count: own('count(*)'),
  user_session_duration: own('sum(s.duration_sec)'),
  user_session_screen_count: own('sum(s.screen_count)'),
  user_event_count: own('sum(s.event_count)'),
  user_gesture_count: own('sum(s.gesture_count)'),
  user_rage_gesture_count: own('sum(s.rage_gesture_count)'),
  user_responsive_gesture_count: own('sum(s.responsive_gesture_count)'),
  user_unresponsive_gesture_count: own('sum(s.unresponsive_gesture_count)'),
};

const LIFETIMES: Readonly<Partial<Record<AttributeName, Sql>>> = {
  user_first_seen_on: own('min(s.recorded_at)'),
  user_last_seen_on: own('max(s.recorded_at)'),
};

/** Each user's latest session: what a filter on the device sees of them. `among` narrows the users looked at. */
export const latestSessions = (now: Millis, among: Sql = own('true')): Sql =>
  closed(sql`SELECT DISTINCT ON (s.user_id) s.* FROM sessions s WHERE ${visible('s', now)} AND ${among}
    ORDER BY s.user_id, s.recorded_at DESC, s.session_id DESC`);

/**
 * Filters choose users, the span chooses what of them is counted. Conditions on `s.user_id`, to be ANDed: one for
 * each place that a user is judged by (latest session, one session in the span, sums over the span, all time).
 */
export function userConditions(filters: readonly Filter[], span: Span, scope: Scope): Sql[] {
  const { zone, now } = scope;
  const of = (...subjects: readonly AttributeSubject[]) =>
    filters.filter(
      ({ attribute }) =>
        ATTRIBUTES[attribute].type !== 'window' && subjects.includes(ATTRIBUTES[attribute].of),
    );
  const aggregates = (part: readonly Filter[], columns: Readonly<Partial<Record<AttributeName, Sql>>>) =>
    allOf(part.map((filter) => asSql(conditionOn(filter, known(columns[filter.attribute]), zone))));

  const device = of('device');
  const session = of('session', 'event', 'user', 'time');
  const total = of('total');
  const lifetime = of('lifetime');
  const queries: Sql[] = [];
  if (device.length > 0) {
    const conditions = allOf(rowConditions('user', device, scope));
    queries.push(sql`SELECT s.user_id FROM (${latestSessions(now)}) s WHERE ${conditions}`);
  }
  if (session.length > 0) {
    const conditions = rowConditions('user', session, scope);
    const where = allOf([inSpan('s', { span, now }), ...conditions]);
    queries.push(sql`SELECT s.user_id ${fromTables('s', conditions, now)} WHERE ${where}`);
  }
  if (total.length > 0) {
    queries.push(sql`SELECT s.user_id FROM sessions s WHERE ${inSpan('s', { span, now })}
      GROUP BY s.user_id HAVING ${aggregates(total, TOTALS)}`);
  }
  if (lifetime.length > 0) {
    queries.push(sql`SELECT s.user_id FROM sessions s WHERE ${visible('s', now)}
      GROUP BY s.user_id HAVING ${aggregates(lifetime, LIFETIMES)}`);
  }
  return queries.map((query) => sql`s.user_id IN (${closed(query)})`);
}

function known(piece: Sql | undefined): Sql {
  if (piece === undefined) throw new TypeError('an attribute without a column');
  return piece;
}
