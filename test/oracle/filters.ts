import { type Attribute, attributeNamed, propertyText, propertyValue, type Value } from './attributes.ts';
import type { Fact } from './facts.ts';
import { bucketAt, localDate, nameOf, type Unit } from './local-time.ts';
import type { RequestCondition, RequestFilter } from './requests.ts';
import type { Properties } from './rows.ts';
import { isDate } from './windows.ts';

const OPPOSITES: Readonly<Record<string, string>> = {
  not_equal: 'equal',
  not_in: 'in',
  not_contains: 'contains',
  not_has_any: 'has_any',
  not_on: 'on',
};

/** Whether a fact passes a filter or a group of filters. */
export function factPasses(condition: RequestCondition, fact: Fact, zone: string): boolean {
  if ('any' in condition) return condition.any.some((one) => factPasses(one, fact, zone));
  if ('did_not' in condition) return !factPasses({ did: condition.did_not }, fact, zone);
  if ('did' in condition) {
    return fact.eventsOfSession.some((event) => condition.did.every((one) => factPasses(one, event, zone)));
  }
  const { property, ...filter } = condition;
  if (property) {
    const { name, ...compared } = property;
    const ofEvent = { ...compared, attribute: 'event_custom_property', property_name: name };
    return factPasses({ did: [filter, ofEvent] }, fact, zone);
  }
  if (!/^event_(name|custom_property)$/.test(filter.attribute) || fact.event)
    return valuePasses(filter, attributeNamed(filter.attribute).read(fact), zone);
  const opposite = OPPOSITES[filter.operator];
  return opposite === undefined
    ? factPasses({ did: [filter] }, fact, zone)
    : !factPasses({ ...filter, operator: opposite }, fact, zone);
}

/** Whether a value passes a filter. A negative operator is the exact complement of its opposite. */
export function valuePasses(filter: RequestFilter, value: Value, zone: string): boolean {
  const opposite = OPPOSITES[filter.operator];
  if (opposite !== undefined) return !valuePasses({ ...filter, operator: opposite }, value, zone);
  if (filter.operator === 'in') {
    return asList(filter.value).some((one) =>
      valuePasses({ ...filter, operator: 'equal', value: one }, value, zone),
    );
  }
  const attribute = attributeNamed(filter.attribute);
  if (attribute.kind === 'bucket' || attribute.kind === 'lifetime') {
    return timePasses(filter, Number(value), { unit: attribute.unit ?? 'day', zone });
  }
  if (attribute.kind === 'properties') return propertyPasses(filter, value as Properties);
  return plainPasses(filter, value, attribute);
}

const asList = (value: unknown): readonly unknown[] => value as readonly unknown[];

function plainPasses({ operator, value: wanted }: RequestFilter, value: Value, { kind }: Attribute): boolean {
  if (value === null) return false;
  if (operator === 'has_any') return asList(wanted).some((one) => asList(value).includes(one));
  if (typeof value === 'number') return numberPasses(operator, value, wanted);
  if (typeof value === 'boolean') return value === wanted;
  return textPasses(operator, String(value), kind === 'platform' ? platform(wanted) : wanted);
}

const platform = (wanted: unknown): unknown =>
  new Map<unknown, string>([
    ['1', 'android'],
    ['2', 'ios'],
    ['3', 'web'],
  ]).get(String(wanted)) ?? wanted;

function textPasses(operator: string, text: string, wanted: unknown): boolean {
  return operator === 'contains' ? text.includes(String(wanted)) : text === wanted;
}

function numberPasses(operator: string, number: number, wanted: unknown): boolean {
  if (operator === 'equal') return number === wanted;
  const limit = Number(wanted);
  if (operator === 'greater') return number > limit;
  if (operator === 'less') return number < limit;
  return operator === 'greater_or_equal' ? number >= limit : number <= limit;
}

/** Compares numbers as numbers, and everything else as text. */
function propertyPasses(
  { operator, value: wanted, property_name: name = '' }: RequestFilter,
  properties: Properties,
): boolean {
  const value = propertyValue(properties, name);
  const text = propertyText(properties, name);
  if (text === null) return false;
  if (operator === 'contains') return text.includes(String(wanted));
  if (operator === 'equal' && !(typeof value === 'number' && typeof wanted === 'number')) {
    return text === String(wanted);
  }
  return typeof value === 'number' && numberPasses(operator, value, wanted);
}

function timePasses(
  { operator, value: wanted }: RequestFilter,
  at: number,
  { unit, zone }: { unit: Unit; zone: string },
): boolean {
  if (operator === 'between_dates') {
    const { lower, upper } = wanted as { lower: string; upper: string };
    const date = localDate(at, zone);
    return (
      (isDate(lower) ? date >= lower : at >= Date.parse(lower)) &&
      (isDate(upper) ? date <= upper : at < Date.parse(upper))
    );
  }
  const bound = String(wanted);
  if (operator === 'after' || operator === 'before') {
    const past = isDate(bound)
      ? order(bucketOfDates(unit, localDate(at, zone)), bucketOfDates(unit, bound))
      : at - Date.parse(bound);
    return operator === 'after' ? past > 0 : past < 0;
  }
  if (/^\d{4}-\d\d$/.test(bound)) return bucketAt('month', at, zone) === bound;
  if (isDate(bound)) return bucketOfDates(unit, localDate(at, zone)) === bucketOfDates(unit, bound);
  return bucketAt(unit, at, zone) === bucketAt(unit, Date.parse(bound), zone);
}

/** A date as a bound means at least its whole day. */
const bucketOfDates = (unit: Unit, date: string): string => nameOf(unit, date);

const order = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
