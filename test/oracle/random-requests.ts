import fc from 'fast-check';
import { ATTRIBUTES, attributeNamed } from './attributes.ts';
import { fieldOf as groupField } from './groups.ts';
import { metricsOf as fieldsOf } from './metrics.ts';
import { anyOf } from './random-dates.ts';
import { filtersAbout } from './random-filters.ts';
import { PROPERTY_NAMES, ZONES } from './random-world.ts';
import type { AnalyticsRequest, ListRequest, RequestGroup, RequestMetric, Resource } from './requests.ts';
import type { World } from './rows.ts';

/** Random questions about a world. */
export interface Requests {
  analytics(resource: Resource): fc.Arbitrary<AnalyticsRequest>;
  list(resource: Exclude<Resource, 'screen'>): fc.Arbitrary<ListRequest>;
}

export function requestsAbout(world: World): Requests {
  const filters = filtersAbout(world);
  const zone = { time_zone: anyOf([world.zone, world.zone, ...Object.keys(ZONES)]) };
  return {
    analytics: (resource) =>
      fc
        .record(
          {
            filters: filters(resource, 'analytics'),
            group_by: groupsOf(resource),
            aggregation: metricsOf(resource),
            comparison: anyOf([0, 1] as const),
            ...zone,
          },
          { requiredKeys: [] },
        )
        .chain((request) =>
          fc.option(orderOf(resource, request), { nil: {} }).map((order) => ({ ...request, ...order })),
        ),
    list: (resource) =>
      fc.record(
        {
          filters: filters(resource, 'list'),
          ...zone,
          ...(resource === 'user' && { show_only: fc.subarray(SECTIONS, { minLength: 1 }) }),
        },
        { requiredKeys: [] },
      ),
  };
}

/** `sort`, `having` and `limit` on fields that the rows have. */
function orderOf(resource: Resource, { group_by, aggregation, comparison }: AnalyticsRequest) {
  const own = [...fieldsOf(resource, aggregation).keys()];
  const metrics = comparison === 1 ? [...own, ...own.map((field) => `${field}_previous`)] : own;
  const groups = (group_by ?? (resource === 'screen' ? [{ attribute: 'screen_name' }] : [])).map(groupField);
  const direction = anyOf(['asc', 'desc'] as const);
  const byMetric = fc.record({ metric: anyOf(metrics), direction });
  const sort =
    groups.length === 0 ? byMetric : fc.oneof(byMetric, fc.record({ attribute: anyOf(groups), direction }));
  const operator = anyOf(['equal', 'not_equal', 'greater', 'less', 'greater_or_equal', 'less_or_equal']);
  const value = anyOf([0, 0, 1, 2, 5, 20, 61.5]);
  return fc.record(
    {
      sort: fc.array(sort, { maxLength: 3 }),
      having: fc.array(fc.record({ metric: anyOf(metrics), operator, value }), { maxLength: 2 }),
      limit: fc.integer({ min: 1, max: 30 }),
    },
    { requiredKeys: [] },
  );
}

const SECTIONS = ['property', 'usage', 'location', 'device', 'deviceBasics', 'deviceHardware'];

function groupsOf(resource: Resource): fc.Arbitrary<RequestGroup[]> {
  const names = Object.entries(ATTRIBUTES).filter(([, { groups }]) => groups.includes(resource));
  const times = names.filter(([, { kind }]) => kind === 'bucket').map(([name]) => name);
  const others = names.filter(([, { kind }]) => kind !== 'bucket').map(([name]) => name);
  const group = anyOf(others).chain((attribute) => {
    const isProperty = attributeNamed(attribute).kind === 'properties';
    return fc
      .record({
        property_name: isProperty ? anyOf([...PROPERTY_NAMES, 'deep']) : fc.constant(undefined),
        max_group_number: anyOf([undefined, 1, 2, 3, 4, 5, 8]),
      })
      .map((more) => ({ attribute, ...more }) as RequestGroup);
  });
  const keyOf = ({ attribute, property_name }: RequestGroup) => `${attribute} ${property_name}`;
  return fc.uniqueArray(
    fc.oneof(
      { weight: 2, arbitrary: group },
      anyOf(times).map((attribute): RequestGroup => ({ attribute })),
    ),
    { selector: keyOf, maxLength: 3 },
  );
}

const METRICS: Readonly<
  Record<Resource, { readonly counts: readonly string[]; readonly numbers: readonly string[] }>
> = {
  event: {
    counts: ['event_count', 'event_unique_user_count', 'event_unique_session_count'],
    numbers: ['event_custom_property'],
  },
  session: {
    counts: ['session_count', 'session_unique_user_count', 'session_new_users_count'],
    numbers: [
      'session_duration',
      'session_gesture_count',
      'session_rage_gesture_count',
      'session_responsive_gesture_count',
      'session_unresponsive_gesture_count',
      'session_screen_count',
      'session_unique_screen_count',
    ],
  },
  user: {
    counts: ['user_count', 'session_new_users_count'],
    numbers: [
      'user_session_count',
      'user_session_duration',
      'user_session_screen_count',
      'user_event_count',
      'user_gesture_count',
      'user_rage_gesture_count',
      'user_responsive_gesture_count',
      'user_unresponsive_gesture_count',
    ],
  },
  screen: {
    counts: [
      'screen_visits',
      'unique_users',
      'unique_sessions',
      'rage_gesture_count',
      'entries',
      'exits',
      'exit_rate',
      'bounce_rate',
    ],
    numbers: ['time_on_screen'],
  },
};

function metricsOf(resource: Resource): fc.Arbitrary<RequestMetric[]> {
  const { counts, numbers } = METRICS[resource];
  const count = fc
    .record({
      attribute: anyOf(counts),
      operator: anyOf(resource === 'screen' ? [''] : [undefined, '', 'count']),
    })
    .map((one) => one as RequestMetric);
  const total = anyOf(METRICS.user.numbers).map(
    (attribute): RequestMetric => ({ attribute, operator: 'sum' }),
  );
  const metric = fc.oneof(count, operationOn(numbers), ...(resource === 'session' ? [total] : []));
  return fc.uniqueArray(metric, { minLength: 1, maxLength: 4, selector: fieldOf });
}

function operationOn(numbers: readonly string[]): fc.Arbitrary<RequestMetric> {
  return fc
    .record({
      number: anyOf(numbers),
      operation: anyOf(['sum', 'avg', 'min', 'max']),
      isPrefix: fc.boolean(),
    })
    .map(({ number, operation, isPrefix }) => ({
      ...(isPrefix ? { attribute: `${operation}_${number}` } : { attribute: number, operator: operation }),
      ...(number === 'event_custom_property' && { property_name: 'price' }),
    }));
}

/** Two notations of one metric count as one metric. */
const fieldOf = ({ attribute, operator }: RequestMetric): string =>
  operator && operator !== 'count' ? `${operator}_${attribute}` : attribute;
