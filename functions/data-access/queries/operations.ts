import { type SqlBool, sql } from 'kysely';
import type { Operation } from '../../../shared/analytics/grouping.ts';
import { type Piece, portable } from '../engines/query.ts';

/** An operation over the whole numbers of a group; those that are NULL are left out. */
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

/**
 * The same over numbers with fractions. Engines add in the order in which their threads finish, and sums of floating
 * point numbers differ with their order. Whole numbers do not: so the whole parts and the fractions, as multiples of
 * 2^-62, are added by themselves, which is exact in any order.
 */
export function fractionalOperation(name: Operation, number: Piece): Piece {
  if (name === 'sum') return sumOf(number);
  if (name === 'avg') return sql`(${sumOf(number)} / nullif(count(${number}), 0))`;
  return operation(name, number);
}

/** The largest whole number of 64 bits is twice as large. */
const SCALE = 2 ** 62;

/** Where one of the numbers is too large for that, their sum is the engine's own, and may differ in its last bits. */
function sumOf(number: Piece): Piece {
  const small = sql`case when ${sql<SqlBool>`abs(${number}) < ${SCALE}`} then ${number} end`;
  const whole = portable.wholePart(small);
  const fraction = portable.wholePart(sql`((${small}) - ${whole}) * ${SCALE}`);
  const exact = sql`cast(${portable.wholeSum(whole)} as double)
    + cast(${portable.wholeSum(fraction)} as double) / ${SCALE}`;
  return sql`(case when count(${small}) = count(${number}) then ${exact} else sum(${number}) end)`;
}
