import { type SqlBool, sql } from 'kysely';
import type { QueryFilter } from '../../../shared/contract/query-filters.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { allOf, type Batch, column, db, isIn, portable, type Query, type Test } from '../engines/query.ts';
import type { Span } from '../time/calendar.ts';
import { recordedAt, within } from './columns.ts';
import { inSpan, type Scope, utcDay, visible } from './question.ts';
import { totals, userTests } from './users.ts';

/** The users active in a span: last seen first, then by id. */
export interface UserList extends Scope {
  readonly filters: readonly QueryFilter[];
  readonly span: Span;
}

/** A page of the list: the users after `last`, or after `offset` users. */
export type Part =
  | { readonly limit: number; readonly last?: { readonly at: Millis; readonly id: string } }
  | { readonly limit: number; readonly offset: number };

/** The number of users of the list: `n`. */
export const countUsers = (list: UserList): Query =>
  db
    .selectFrom('sessions')
    .select(sql<number>`count(distinct ${column('user_id')})`.as('n'))
    .where(activeIn(list));

/**
 * Each row: `user_id`, `first_seen` and `last_seen` (milliseconds), the sums over the span by their names and over all
 * time as `lifetime_<name>`, and the latest session's columns.
 *
 * Sums only the users of the page, because finding them needs no data before the span.
 */
export function usersOf(list: UserList, part: Part): Query {
  const { now } = list;
  const page = 'offset' in part ? portable.page(part.offset, part.limit) : sql`limit ${part.limit}`;
  return db
    .with('shown', () =>
      db
        .selectFrom('sessions')
        .select(['user_id', LAST_SEEN.as('last_seen')])
        .where(allOf([since(list), ...userTests(list.filters, list.span, list)]))
        .groupBy('user_id')
        .having(allOf([wasActive(list), further(part)]))
        .orderBy('last_seen', 'desc')
        .orderBy(portable.byCharacter(column('user_id')))
        .modifyEnd(page),
    )
    .with('sums', (cte) =>
      cte
        .selectFrom('sessions')
        .select([
          'user_id',
          sql<number>`min(${recordedAt})`.as('first_seen'),
          ...named('', totals(within(recordedAt, [list.span]))),
          ...named('lifetime_', totals()),
        ])
        .where(allOf([visible(now), isIn(column('user_id'), cte.selectFrom('shown').select('user_id'))]))
        .groupBy('user_id'),
    )
    .with('latest', (cte) =>
      cte
        .selectFrom(
          cte
            .selectFrom('sessions')
            .innerJoin('shown', (join) =>
              join
                .onRef('shown.user_id', '=', 'sessions.user_id')
                .onRef('shown.last_seen', '=', 'sessions.recorded_at'),
            )
            .select([
              'sessions.user_id as user_id',
              ...LATEST,
              sql<number>`row_number() over (partition by ${sql.ref('sessions.user_id')}
                order by ${portable.byCharacter(column('session_id'))} desc)`.as('nth'),
            ])
            .where(since(list))
            .as('last_begun'),
        )
        .selectAll()
        .where('nth', '=', 1),
    )
    .selectFrom('shown')
    .innerJoin('sums', 'sums.user_id', 'shown.user_id')
    .innerJoin('latest', 'latest.user_id', 'shown.user_id')
    .select(SUMMED.map((name) => sql.ref(`sums.${name}`).as(name)))
    .select('shown.last_seen as last_seen')
    .select(LATEST.map((name) => sql.ref(`latest.${name}`).as(name)))
    .orderBy('shown.last_seen', 'desc')
    .orderBy(portable.byCharacter(sql.ref('shown.user_id')));
}

const LAST_SEEN = sql<number>`max(${recordedAt})`;

const activeIn = (list: UserList): Test => allOf([inSpan(list), ...userTests(list.filters, list.span, list)]);

/** A user who was active in the span was last seen in it or after it. */
const since = ({ span, now }: UserList): Test =>
  allOf([
    visible(now),
    sql<SqlBool>`${recordedAt} >= ${span.from}`,
    portable.inDays(utcDay(span.from), LAST_DAY),
  ]);
const LAST_DAY = '9999-12-31';

const wasActive = ({ span }: UserList): Test => sql<SqlBool>`min(${recordedAt}) < ${span.to}`;

function further(part: Part): Test {
  if ('offset' in part || part.last === undefined) return sql<SqlBool>`true`;
  const { at, id } = part.last;
  return sql<SqlBool>`(${LAST_SEEN} < ${at} or (${LAST_SEEN} = ${at} and ${portable.byCharacter(column('user_id'))} > ${id}))`;
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

const TOTALS = Object.keys(totals());
const SUMMED = ['user_id', 'first_seen', ...TOTALS, ...TOTALS.map((name) => `lifetime_${name}`)];

const named = (prefix: string, batches: Readonly<Record<string, Batch>>) =>
  Object.entries(batches).map(([name, batch]) => sql<number>`${batch}`.as(prefix + name));
