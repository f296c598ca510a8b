import { ATTRIBUTES, type BucketUnit } from '../../../shared/analytics/attributes.ts';
import { type Filter, isWholeDay, platformOf } from '../../../shared/analytics/filters.ts';
import { boundEnd, boundStart, unitAround } from '../calendar.ts';
import { anyOf, list, moment, not, own, type Sql, type SqlValue, sql } from '../engines/sql.ts';
import { propertyNumber, propertyText, within } from './columns.ts';

const NEGATIVE: ReadonlySet<Filter['operator']> = new Set([
  'not_equal',
  'not_in',
  'not_contains',
  'not_has_any',
  'not_on',
]);

/** What a filter asks without its "not", and whether it had one: `where` decides how far the negation reaches. */
export interface Condition {
  readonly negative: boolean;
  readonly positive: Sql;
}

/** A negation is the exact complement: rows that lack the attribute are in it. */
export const asSql = ({ negative, positive }: Condition): Sql => (negative ? not(positive) : positive);

/** A filter on one column. For dates the column is a timestamp. */
export function conditionOn(filter: Filter, subject: Sql, zone: string): Condition {
  const { type, unit } = ATTRIBUTES[filter.attribute];
  const positive =
    type === 'date' || type === 'bucket' || type === 'window'
      ? timeCondition(filter, subject, { unit: unit ?? 'day', zone })
      : type === 'json'
        ? propertyCondition(filter, subject)
        : plainCondition(filter, subject);
  return { negative: NEGATIVE.has(filter.operator), positive };
}

function plainCondition(filter: Filter, subject: Sql): Sql {
  const stored = (value: SqlValue): SqlValue =>
    ATTRIBUTES[filter.attribute].type === 'platform' ? (platformOf(value) ?? value) : value;
  switch (filter.operator) {
    case 'equal':
    case 'not_equal':
      return sql`${subject} = ${stored(filter.value)}`;
    case 'in':
    case 'not_in':
      return sql`${subject} IN (${list(filter.value.map(stored))})`;
    case 'has_any':
    case 'not_has_any':
      return sql`list_has_any(${subject}, list_value(${list(filter.value)}))`;
    case 'contains':
    case 'not_contains':
      return sql`contains(${subject}, ${filter.value})`;
    case 'greater':
    case 'less':
    case 'greater_or_equal':
    case 'less_or_equal':
      return sql`${subject} ${own(COMPARISONS[filter.operator])} ${filter.value}`;
    default:
      throw new TypeError(`${filter.operator} on ${filter.attribute}`);
  }
}

const COMPARISONS = { greater: '>', less: '<', greater_or_equal: '>=', less_or_equal: '<=' } as const;

/** Numbers compare as numbers where both sides are numbers, and as text otherwise. */
function propertyCondition(filter: Filter, map: Sql): Sql {
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
      return plainCondition(filter, propertyText(map, name));
    default:
      return plainCondition(filter, propertyNumber(map, name));
  }
}

/** One test of all numbers and one of all else: a test of each value would take gigabytes for a long list. */
function propertyIn(map: Sql, name: string, values: readonly SqlValue[]): Sql {
  const text = propertyText(map, name);
  const numbers = values.filter((value) => typeof value === 'number');
  const others = values.filter((value) => typeof value !== 'number').map(String);
  const number = sql`coalesce(${propertyNumber(map, name)} IN (${list(numbers)}), ${text} IN (${list(numbers.map(String))}))`;
  return anyOf([
    ...(numbers.length > 0 ? [number] : []),
    ...(others.length > 0 ? [sql`${text} IN (${list(others)})`] : []),
  ]);
}

function timeCondition(filter: Filter, time: Sql, { unit, zone }: { unit: BucketUnit; zone: string }): Sql {
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
        ? sql`${time} >= ${moment(around(filter.value).to)}`
        : sql`${time} > ${moment(Date.parse(filter.value))}`;
    case 'before':
      return sql`${time} < ${moment(isWholeDay(filter.value) ? around(filter.value).from : Date.parse(filter.value))}`;
    case 'between_dates': {
      const { lower, upper } = filter.value;
      return within(time, [{ from: boundStart(lower, zone), to: boundEnd(upper, zone) }]);
    }
    default:
      throw new TypeError(`${filter.operator} on ${filter.attribute}`);
  }
}
