import { type SqlBool, sql } from 'kysely';
import type { Filter } from '../../../shared/analytics/filters.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import type { Span } from '../calendar.ts';
import { allOf, column, db, isIn, type Query, type Test } from '../engines/query.ts';
import { inSpan, type Scope, visible } from './question.ts';
import { latestSessions, TOTALS, userTests } from './users.ts';

/** The users active in a span: last seen first, then by id. */
export interface UserList extends Scope {
  readonly filters: readonly Filter[];
  readonly span: Span;
}

/** Which of the list: those after the last one shown, or those after so many. */
export type Part =
  | { readonly limit: number; readonly last?: { readonly at: Millis; readonly id: string } }
  | { readonly limit: number; readonly offset: number };

/** How many users the list has: `n`. */
export const countUsers = (asked: UserList): Query =>
  db
    .selectFrom('sessions')
    .select(sql<number>`count(distinct ${column('user_id')})`.as('n'))
    .where(activeIn(asked));

/**
 * Each row: `user_id`, `first_seen` and `last_seen` (milliseconds), the sums over the span by their names and over all
 * time as `lifetime_<name>`, and the latest session's columns.
 */
export function usersOf(asked: UserList, part: Part): Query {
  const { now } = asked;
  const page = 'offset' in part ? sql`offset ${part.offset} limit ${part.limit}` : sql`limit ${part.limit}`;
  return db
    .with('active', () =>
      db
        .selectFrom('sessions')
        .select(['user_id', ...totals('')])
        .where(activeIn(asked))
        .groupBy('user_id'),
    )
    .with('lifetime', (cte) =>
      cte
        .selectFrom('sessions')
        .select([
          'user_id',
          sql<number>`min(${column('recorded_at')})`.as('first_seen'),
          sql<number>`max(${column('recorded_at')})`.as('last_seen'),
          ...totals('lifetime_'),
        ])
        .where(visible(now))
        .where(isIn(column('user_id'), cte.selectFrom('active').select('user_id')))
        .groupBy('user_id'),
    )
    .with('shown', (cte) =>
      cte
        .selectFrom('active')
        .innerJoin('lifetime', 'lifetime.user_id', 'active.user_id')
        .select([
          'active.user_id',
          'first_seen',
          'last_seen',
          ...TOTAL_NAMES.map((name) => sql.ref(name).as(name)),
        ])
        .where(further(part))
        .orderBy('last_seen', 'desc')
        .orderBy('active.user_id')
        .modifyEnd(page),
    )
    .with('latest', (cte) =>
      latestSessions(now, [isIn(column('user_id'), cte.selectFrom('shown').select('user_id'))]).selectAll(),
    )
    .selectFrom('shown')
    .innerJoin('latest', 'latest.user_id', 'shown.user_id')
    .selectAll('shown')
    .select(LATEST.map((name) => sql.ref(`latest.${name}`).as(name)))
    .orderBy('shown.last_seen', 'desc')
    .orderBy('shown.user_id');
}

const activeIn = (asked: UserList): Test =>
  allOf([inSpan(asked), ...userTests(asked.filters, asked.span, asked)]);

function further(part: Part): Test {
  if ('offset' in part || part.last === undefined) return sql<SqlBool>`true`;
  const { at, id } = part.last;
  return sql<SqlBool>`(last_seen < ${at} or (last_seen = ${at} and active.user_id > ${id}))`;
}

const LATEST = [
  ...(['user_name', 'user_properties', 'platform', 'country_code', 'country', 'city', 'device_id'] as const),
  ...(['device_model', 'device_type', 'app_version', 'os_name', 'os_version', 'browser_name'] as const),
  ...([
    'browser_version',
    'first_utm',
    'first_referer',
    'first_referer_domain',
    'first_landing_page',
  ] as const),
];

const TOTAL_NAMES = ['', 'lifetime_'].flatMap((prefix) => Object.keys(TOTALS).map((name) => prefix + name));

const totals = (prefix: string) =>
  Object.entries(TOTALS).map(([name, total]) => sql<number>`${total}`.as(prefix + name));
