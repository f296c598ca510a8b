import { type SqlBool, sql } from 'kysely';
import type { Operation } from '../../../shared/contract/grouping.ts';
import { type Batch, portable } from '../engines/query.ts';

/** An operation over the integers of a group, ignoring NULL. */
export function operation(name: Operation, number: Batch): Batch {
  switch (name) {
    case 'sum':
      return sql`sum(${number})`;
    case 'avg':
      return portable.wholeMean(number);
    case 'min':
      return sql`min(${number})`;
    case 'max':
      return sql`max(${number})`;
    case 'p50':
    case 'p90':
    case 'p95':
    case 'p99':
      return portable.percentile(portable.asDouble(number), Number(name.slice(1)) / 100);
  }
}

/**
 * The same for floating point numbers. Engines add in the order in which their threads finish, and floating point sums
 * depend on the order. Integer sums do not, so whole parts and fractions (as multiples of 2^-62) are added separately,
 * which is exact in any order.
 */
export const fractionalOperation = (name: Operation, number: Batch): Batch => withSum(name, number, sumOf);

/**
 * The same for seconds, as whole microseconds: doubles add whole numbers exactly, here up to 285 years, and one sum is
 * half the work.
 */
export const secondsOperation = (name: Operation, seconds: Batch): Batch =>
  withSum(name, seconds, (each) => sql`(sum(round(${each} * 1e6)) / 1e6)`);

function withSum(name: Operation, number: Batch, sum: (number: Batch) => Batch): Batch {
  if (name === 'sum') return sum(number);
  if (name === 'avg') return sql`(${sum(number)} / nullif(count(${number}), 0))`;
  return operation(name, number);
}

/** Half of the largest 64-bit integer. */
const SCALE = 2 ** 62;

/** If a number is too large for that, the engine's own sum is used, which may differ in its last bits. */
function sumOf(number: Batch): Batch {
  const small = sql`case when ${sql<SqlBool>`abs(${number}) < ${SCALE}`} then ${number} end`;
  const whole = portable.wholePart(small);
  const fraction = portable.wholePart(sql`((${small}) - ${whole}) * ${SCALE}`);
  const exact = sql`${portable.asDouble(portable.wholeSum(whole))}
    + ${portable.asDouble(portable.wholeSum(fraction))} / ${SCALE}`;
  return sql`(case when count(${small}) = count(${number}) then ${exact} else sum(${number}) end)`;
}
