import { type SqlBool, sql } from 'kysely';
import { aliased, allOf, column, db, portable, type Query } from '../engines/query.ts';
import type { Span } from '../time/calendar.ts';
import { recordedAt } from './columns.ts';
import { inSpan } from './question.ts';

/** The most names, those with most events first. */
const MOST_NAMES = 1000;
/** The number of events of a name, the newest ones, from which its properties are read. */
const SAMPLED = 100;

/**
 * The newest events of each name in a span (g0, and `properties`), each with the number of events of its name (m0) and
 * the times of the first and the last (m1, m2).
 */
export function newestEvents(scope: { readonly span: Span; readonly now: number }): Query {
  const name = column('event_name');
  const named = db
    .selectFrom('events')
    .select(aliased([name], 'g'))
    .select(aliased([sql`count(*)`, sql`min(${recordedAt})`, sql`max(${recordedAt})`], 'm'))
    .where(inSpan(scope))
    .groupBy('event_name')
    .orderBy(sql`count(*)`, 'desc')
    .orderBy(portable.byCharacter(name))
    .limit(MOST_NAMES);
  // About twice as many if they are spread evenly, so that the engine need not sort all events.
  const isNew = sql<SqlBool>`(m2 - ${recordedAt}) * m0 <= (m2 - m1) * ${2 * SAMPLED}`;
  const newest = db
    .selectFrom('events')
    .innerJoin(named.as('named'), (join) => join.on(sql<SqlBool>`${name} = g0`))
    .select(['g0', 'm0', 'm1', 'm2', 'properties'].map((field) => sql.ref(field).as(field)))
    .select(
      sql<number>`row_number() over (partition by g0
        order by ${recordedAt} desc, ${portable.byCharacter(column('event_id'))})`.as('nth'),
    )
    .where(allOf([inSpan(scope), isNew]));
  return db.selectFrom(newest.as('newest')).selectAll().where(sql<SqlBool>`nth <= ${SAMPLED}`);
}
