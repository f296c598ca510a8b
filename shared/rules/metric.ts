import type { Filter } from '../contract/filters.ts';
import { type Aggregation, PERCENTILES, type Percentile } from '../contract/grouping.ts';
import type { Expression } from './formula.ts';

/** Which analytics endpoint answers; only `event` and `session` compare periods themselves. */
export type Endpoint = 'event' | 'session' | 'user';

/** What the service is asked for (`aggregation`) and the row field that answers (`key`). */
export interface Measure {
  aggregation: Aggregation;
  key: string;
}

export type Asked = Measure & { endpoint: Endpoint; unit: string };
export type Count = { kind: 'count'; addsUp: boolean };

/**
 * A metric that one row field answers.
 * - `count`: zero if the answer has no rows. If it `addsUp`, segments do not overlap and their figures may be summed.
 * - `mean`: has no value without its `weight`, the number of sessions or users that it is a mean over. With
 *   `ofProperty` it is over events, and can have any unit and sign.
 * - `total`: the sum of a property over the events of its `weight`; zero without events.
 * - `extreme`: the least or largest value of a property among the events of its `weight`; no value without events.
 * - `percentile`: of a property among the events of its `weight`; no value without events, nor from several rows.
 */
export type AskedMetric = Asked &
  (
    | Count
    | { kind: 'mean'; weight: Measure; ofProperty?: true }
    | { kind: 'total'; weight: Measure }
    | { kind: 'extreme'; weight: Measure; of: 'minimum' | 'maximum' }
    | { kind: 'percentile'; weight: Measure }
  );

/** The ratio of one event to another, each by `counted`. The number of the second is its weight; at zero it has no value. */
type EventRatio = Asked & { kind: 'ratio'; counted: Asked & Count };

/** How a metric is computed from `parts`: `of`, or `of` divided by `to`. Their row keys start with the name of the part. */
export interface Computation {
  parts: ReadonlyMap<string, AskedMetric>;
  of: Expression;
  to?: Expression;
  /** Tells computations of the same parts apart. */
  text: string;
}

/**
 * A metric computed from several figures of one segment: a sum of counts, a quotient of such sums, or any other
 * formula, whose `value` has no model of chance. `key` is that of the part that tells how large a segment is.
 */
type ComputedMetric = Asked & { computed: Computation } & (
    | Count
    | { kind: 'ratio'; counted?: undefined }
    | { kind: 'value' }
  );

/** How a metric is evaluated. Only a ratio of events is read from the rows of two events. */
export type Metric = AskedMetric | EventRatio | ComputedMetric;

/** A metric that is read from one row. */
export type RowMetric = AskedMetric | ComputedMetric;

/** The metric whose rows are read: the count of each event of a ratio of events, otherwise the metric itself. */
export function rowMetricOf(metric: Metric): RowMetric {
  return metric.kind === 'ratio' && metric.counted ? metric.counted : (metric as RowMetric);
}

/** Whether the figure can be negative: values of properties, and what is computed from them. */
export function canBeNegative(metric: Metric): boolean {
  return metric.kind === 'mean'
    ? metric.ofProperty === true
    : metric.kind !== 'count' && metric.kind !== 'ratio';
}

/** The requested measures of a metric, by part; those of a metric that is not computed have no part. */
export function measuresOf(metric: AskedMetric): Measure[] {
  const { aggregation, key } = metric;
  return [{ aggregation, key }, ...('weight' in metric ? [metric.weight] : [])];
}

/** The row keys that a reading of the metric needs. */
export function rowKeysOf(metric: RowMetric): string[] {
  const asked = 'computed' in metric ? [...metric.computed.parts.values()] : [metric];
  return asked.flatMap((each) => measuresOf(each).map(({ key }) => key));
}

export const PROPERTY_OPERATIONS = ['average', 'sum', 'minimum', 'maximum', ...PERCENTILES] as const;

/** One number of an event property, over all events that have it: `{ average: 'price' }`. */
export type PropertyMetric = Partial<Record<(typeof PROPERTY_OPERATIONS)[number], string | undefined>>;

const EVENTS: Measure = { aggregation: { attribute: 'event_count' }, key: 'event_count' };

const OPERATORS = { average: 'avg', sum: 'sum', minimum: 'min', maximum: 'max' } as const;

/** What to ask for a property. The weight is exact, because `propertyFilter` selects the events that have the number. */
export function propertyMetric(asked: PropertyMetric): AskedMetric {
  const { operation, property } = propertyOf(asked);
  const percentile = PERCENTILES.find((each) => each === operation);
  const operator = percentile ?? OPERATORS[operation as Exclude<typeof operation, Percentile>];
  const attribute = 'event_custom_property';
  const shared = {
    endpoint: 'event' as const,
    unit: `${operation}${percentile ? ' of' : ''} ${property}`,
    aggregation: { attribute, operator, property_name: property },
    key: `${operator}_${attribute}_${property}`,
    weight: EVENTS,
  };
  if (operation === 'average') return { ...shared, kind: 'mean', ofProperty: true };
  if (operation === 'sum') return { ...shared, kind: 'total' };
  if (operation === 'minimum' || operation === 'maximum')
    return { ...shared, kind: 'extreme', of: operation };
  return { ...shared, kind: 'percentile' };
}

/** Less than any number of a property, and a number in every database. */
const BELOW_ALL = -1e300;

/** Selects the events whose property is a number. */
export function propertyFilter(asked: PropertyMetric): Filter {
  const property_name = propertyOf(asked).property;
  return {
    attribute: 'event_custom_property',
    property_name,
    operator: 'greater_or_equal',
    value: BELOW_ALL,
  };
}

/** Whether the filter is of a metric, not of a rule. */
export function isPropertyFilter({ operator, value }: Filter): boolean {
  return operator === 'greater_or_equal' && value === BELOW_ALL;
}

function propertyOf(asked: PropertyMetric) {
  for (const operation of PROPERTY_OPERATIONS) {
    const property = asked[operation];
    if (property !== undefined) return { operation, property };
  }
  throw new TypeError('a metric of a property names an operation');
}
