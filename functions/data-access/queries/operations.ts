import { sql } from 'kysely';
import type { Operation } from '../../../shared/analytics/grouping.ts';
import type { Piece } from '../engines/query.ts';

/** An operation over the numbers of a group; those that are NULL are left out. */
export function operation(name: Operation, number: Piece): Piece {
  switch (name) {
    case 'sum':
      return sql`sum(${number})`;
    case 'avg':
      return sql`avg(${number})`;
    case 'min':
      return sql`min(${number})`;
    case 'max':
      return sql`max(${number})`;
  }
}
