import type { Filter } from '../../../shared/analytics/filters.ts';
import type { Span } from '../calendar.ts';
import type { Engine, Row } from '../engines/engine.ts';
import { allOf, closed, joined, own, type Sql, sql } from '../engines/sql.ts';
import { inSpan, type Scope, visible } from './question.ts';
import { latestSessions, TOTALS, userConditions } from './users.ts';

interface UserList extends Scope {
  readonly filters: readonly Filter[];
  readonly span: Span;
  readonly limit: number;
  /** The last user already shown, in the order of the list. */
  readonly after?: { readonly lastSeenMicros: number; readonly userId: string };
}

/**
 * The users active in the span, last seen first. Each row: `user_id`, `first_seen` and `last_seen` (microseconds),
 * the sums over the span by their names and over all time as `lifetime_<name>`, the latest session's columns, and
 * `first_<column>` of the first session.
 */
export function userList(engine: Engine, asked: UserList): Promise<readonly Row[]> {
  const { filters, span, now, limit, after } = asked;
  const chosen = allOf([inSpan('s', asked), ...userConditions(filters, span, asked)]);
  const further = after
    ? sql`WHERE (last_seen < ${after.lastSeenMicros}::BIGINT
        OR (last_seen = ${after.lastSeenMicros}::BIGINT AND user_id > ${after.userId}))`
    : own('');
  return engine.rows(sql`
    WITH active AS (SELECT s.user_id, ${totals('')} FROM sessions s WHERE ${chosen} GROUP BY s.user_id),
    lifetime AS (
      SELECT s.user_id, epoch_us(min(s.recorded_at)) AS first_seen, epoch_us(max(s.recorded_at)) AS last_seen,
        ${totals('lifetime_')}
      FROM sessions s WHERE ${visible('s', now)} AND s.user_id IN (SELECT user_id FROM active)
      GROUP BY s.user_id
    ),
    shown AS (
      SELECT * FROM active JOIN lifetime USING (user_id) ${further}
      ORDER BY last_seen DESC, user_id LIMIT ${limit}
    ),
    latest AS (${latestSessions(now, own('s.user_id IN (SELECT user_id FROM shown)'))})
    SELECT shown.*, ${snapshot('latest', LATEST)},
      CAST(latest.user_properties AS VARCHAR) AS user_properties, ${snapshot('f', FIRST, 'first_')}
    FROM shown JOIN latest ON latest.user_id = shown.user_id
    LEFT JOIN sessions f ON f.user_id = shown.user_id AND f.session_number = 1 AND ${closed(visible('f', now))}
    ORDER BY shown.last_seen DESC, shown.user_id`);
}

const LATEST = [
  'user_name',
  'platform',
  'country_code',
  'country',
  'city',
  'device_id',
  'device_model',
  'device_type',
  'app_version',
  'os_name',
  'os_version',
  'browser_name',
  'browser_version',
] as const;
const FIRST = ['utm', 'referer', 'referer_domain', 'landing_page'] as const;

const totals = (prefix: string): Sql =>
  joined(
    Object.entries(TOTALS).map(([name, total]) => sql`${total} AS ${own(prefix + name)}`),
    ', ',
  );

const snapshot = (table: string, columns: readonly string[], prefix = ''): Sql =>
  own(columns.map((name) => `${table}.${name} AS ${prefix}${name}`).join(', '));
