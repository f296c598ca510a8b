import { type SqlBool, sql } from 'kysely';
import { ATTRIBUTES, type BucketUnit } from '../../../shared/contract/attributes.ts';
import { type Filter, isWholeDay } from '../../../shared/contract/filters.ts';
import { anyOf, type Batch, isIn, not, portable, type SqlValue, type Test } from '../engines/query.ts';
import { boundEnd, boundStart, unitAround } from '../time/calendar.ts';
import { within } from './columns.ts';

/** A filter without its negation, and whether it had one. The caller decides what the negation applies to. */
export interface Condition {
  readonly negative: boolean;
  readonly positive: Test;
}

/** A negation is the exact complement, so it includes rows without the attribute. */
export const asTest = ({ negative, positive }: Condition): Test => (negative ? not(positive) : positive);

/** A filter on one column. For dates the column holds milliseconds. */
export function conditionOn(filter: Filter, subject: Batch, zone: string): Condition {
  const { type, unit } = ATTRIBUTES[filter.attribute];
  const positive =
    type === 'date' || type === 'bucket' || type === 'window'
      ? timeCondition(filter, subject, unit ?? 'day', zone)
      : type === 'json'
        ? propertyCondition(filter, subject)
        : plainCondition(filter, subject);
  return { negative: filter.operator.startsWith('not_'), positive };
}

function plainCondition(filter: Filter, subject: Batch): Test {
  switch (filter.operator) {
    case 'equal':
    case 'not_equal':
      return sql<SqlBool>`${subject} = ${filter.value}`;
    case 'in':
    case 'not_in':
      return isIn(subject, filter.value);
    case 'has_any':
    case 'not_has_any':
      return portable.hasAny(subject, filter.value.map(String));
    case 'contains':
    case 'not_contains':
      return portable.contains(subject, filter.value);
    case 'greater':
    case 'less':
    case 'greater_or_equal':
    case 'less_or_equal':
      return sql<SqlBool>`${subject} ${COMPARES[filter.operator]} ${filter.value}`;
    default:
      throw new TypeError(`${filter.operator} on ${filter.attribute}`);
  }
}

const COMPARES = {
  greater: sql`>`,
  less: sql`<`,
  greater_or_equal: sql`>=`,
  less_or_equal: sql`<=`,
};

/** Compares as numbers if both sides are numbers, and as text otherwise. */
function propertyCondition(filter: Filter, map: Batch): Test {
  const name = filter.property_name ?? '';
  switch (filter.operator) {
    case 'equal':
    case 'not_equal':
      return propertyIn(map, name, [filter.value]);
    case 'in':
    case 'not_in':
      return propertyIn(map, name, filter.value);
    case 'contains':
    case 'not_contains':
      return plainCondition(filter, portable.propertyText(map, name));
    default:
      return plainCondition(filter, portable.propertyNumber(map, name));
  }
}

/** One test for all numbers and one for all other values: a test per value would need gigabytes for a long list. */
function propertyIn(map: Batch, name: string, values: readonly SqlValue[]): Test {
  const text = portable.propertyText(map, name);
  const numbers = values.filter((value) => typeof value === 'number');
  const others = values.filter((value) => typeof value !== 'number').map(String);
  const asNumber = () => isIn(portable.propertyNumber(map, name), numbers);
  const asText = () => isIn(text, numbers.map(String));
  return anyOf([
    ...(numbers.length > 0
      ? [
          sql<SqlBool>`case when ${portable.propertyNumber(map, name)} is null then ${asText()} else ${asNumber()} end`,
        ]
      : []),
    ...(others.length > 0 ? [isIn(text, others)] : []),
  ]);
}

function timeCondition(filter: Filter, time: Batch, unit: BucketUnit, zone: string): Test {
  const around = (bound: SqlValue) => unitAround(String(bound), unit, zone);
  switch (filter.operator) {
    case 'equal':
    case 'not_equal':
    case 'on':
    case 'not_on':
      return within(time, [around(filter.value)]);
    case 'in':
    case 'not_in':
      return within(time, filter.value.map(around));
    case 'after':
      return isWholeDay(filter.value)
        ? sql<SqlBool>`${time} >= ${around(filter.value).to}`
        : sql<SqlBool>`${time} > ${Date.parse(filter.value)}`;
    case 'before':
      return sql<SqlBool>`${time} < ${isWholeDay(filter.value) ? around(filter.value).from : Date.parse(filter.value)}`;
    case 'between_dates': {
      const { lower, upper } = filter.value;
      return within(time, [{ from: boundStart(lower, zone), to: boundEnd(upper, zone) }]);
    }
    default:
      throw new TypeError(`${filter.operator} on ${filter.attribute}`);
  }
}
