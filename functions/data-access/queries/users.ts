import { sql } from 'kysely';
import type { NumberName } from '../../../shared/contract/aggregations.ts';
import {
  ATTRIBUTES,
  type AttributeName,
  type AttributeSubject,
} from '../../../shared/contract/attributes.ts';
import type { Filter } from '../../../shared/contract/filters.ts';
import type { QueryFilter } from '../../../shared/contract/query-filters.ts';
import type { Millis } from '../../../shared/runtime/clock.ts';
import { allOf, type Batch, column, db, isIn, portable, type Query, type Test } from '../engines/query.ts';
import type { Span } from '../time/calendar.ts';
import { asTest, conditionOn } from './conditions.ts';
import { operation, secondsOperation } from './operations.ts';
import { groupTest, inSpan, rowTests, type Scope, visible } from './question.ts';

/** Totals over the sessions of a user, or over those that match `where`. */
export function totals(where?: Test): Readonly<Record<NumberName<'user'>, Batch>> {
  const each = (value: Batch): Batch => (where ? sql`case when ${where} then ${value} end` : value);
  const sum = (name: Parameters<typeof column>[0]) => operation('sum', each(column(name)));
  return {
    user_session_count: sql`count(${each(sql`1`)})`,
    user_session_duration: secondsOperation('sum', each(column('duration_sec'))),
    user_session_screen_count: sum('screen_count'),
    user_event_count: sum('event_count'),
    user_gesture_count: sum('gesture_count'),
    user_rage_gesture_count: sum('rage_gesture_count'),
    user_responsive_gesture_count: sum('responsive_gesture_count'),
    user_unresponsive_gesture_count: sum('unresponsive_gesture_count'),
  };
}

/** First seen of users whose first session is older than the data: earlier than any date a filter accepts. */
const LONG_AGO: Millis = Number.MIN_SAFE_INTEGER;

const LIFETIMES: Readonly<Partial<Record<AttributeName, Batch>>> = {
  user_first_seen_on: sql`coalesce(
    min(case when ${column('session_number')} = 1 then ${column('recorded_at')} end), ${LONG_AGO})`,
  user_last_seen_on: sql`max(${column('recorded_at')})`,
};

/** Users by their latest session, which filters on the device use. */
const ofLatestSessions = (now: Millis) =>
  db
    .selectFrom(
      db
        .selectFrom('sessions')
        .selectAll()
        .select(
          sql<number>`row_number() over (partition by ${column('user_id')}
            order by ${column('recorded_at')} desc, ${portable.byCharacter(column('session_id'))} desc)`.as(
            'recency',
          ),
        )
        .where(visible(now))
        .as('ranked'),
    )
    .select('user_id')
    .where('recency', '=', 1);

/**
 * Conditions on `user_id`, to be combined: one each for the latest session, one session in the span, totals over the
 * span, all time, and each group of filters. Filters select users; the span selects the sessions to count.
 */
export function userTests(
  filters: readonly QueryFilter[],
  span: Span,
  scope: Scope,
  combine = allOf,
): Test[] {
  const { zone, now } = scope;
  const groups = filters
    .filter((filter) => 'any' in filter || 'did_not' in filter)
    .map((group) => groupTest(group, (some, by) => by(userTests(some, span, scope, by))));
  const plain = filters.filter((filter) => 'attribute' in filter);
  const of = (...subjects: readonly AttributeSubject[]) =>
    plain.filter(
      ({ attribute }) =>
        ATTRIBUTES[attribute].type !== 'window' && subjects.includes(ATTRIBUTES[attribute].of),
    );
  const sums = (part: readonly Filter[], columns: Readonly<Partial<Record<AttributeName, Batch>>>) =>
    combine(part.map((filter) => asTest(conditionOn(filter, known(columns[filter.attribute]), zone))));
  const users = db.selectFrom('sessions').select('user_id');

  const device = of('device');
  const session = [...of('session', 'event', 'user', 'time'), ...filters.filter((filter) => 'did' in filter)];
  const total = of('total');
  const lifetime = of('lifetime');
  const parts: [filters: readonly QueryFilter[], query: Query][] = [
    [device, ofLatestSessions(now).where(combine(rowTests('user', device, scope)))],
    [session, users.where(allOf([inSpan({ span, now }), combine(rowTests('user', session, scope))]))],
    [total, users.where(inSpan({ span, now })).groupBy('user_id').having(sums(total, totals()))],
    [lifetime, users.where(visible(now)).groupBy('user_id').having(sums(lifetime, LIFETIMES))],
  ];
  const asked = parts.filter(([part]) => part.length > 0);
  return [...groups, ...asked.map(([, query]) => isIn(column('user_id'), query))];
}

function known(batch: Batch | undefined): Batch {
  if (batch === undefined) throw new TypeError('an attribute without a column');
  return batch;
}
