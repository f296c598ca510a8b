import { sql } from 'kysely';
import { OTHERS } from '../../../shared/contract/grouping.ts';
import { portable, type Query } from '../engines/query.ts';

/** A query with a limit on its rows. */
export const upTo = (limit: number, query: Query): Query =>
  sql`select * from ${query} as answer limit ${limit}`;

/** The largest groups of the first attribute, by the first metric. */
export const topGroups = (maximum: number, query: Query): Query =>
  sql`select * from ${query} as ranked where g0 is distinct from ${OTHERS}
    order by m0 desc nulls last, ${portable.byCharacter(sql.ref('g0'))} asc nulls last limit ${maximum}`;

/** The number of rows of a query: `n`. */
export const rowCount = (query: Query): Query => sql`select count(*) as n from ${query} as counted`;
