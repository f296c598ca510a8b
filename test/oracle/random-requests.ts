import fc from 'fast-check';
import { ATTRIBUTES, attributeNamed } from './attributes.ts';
import { fieldOf as groupField } from './groups.ts';
import type { FunnelRequest, RequestStep, RetentionRequest } from './journeys.ts';
import { metricsOf as fieldsOf } from './metrics.ts';
import { anyOf } from './random-dates.ts';
import { filtersAbout } from './random-filters.ts';
import { EVENT_NAMES, PROPERTY_NAMES, ZONES } from './random-world.ts';
import type { AnalyticsRequest, ListRequest, RequestGroup, RequestMetric, Resource } from './requests.ts';
import type { World } from './rows.ts';

/** Random questions about a world. */
export interface Requests {
  analytics(resource: Resource): fc.Arbitrary<AnalyticsRequest>;
  list(resource: Exclude<Resource, 'screen'>): fc.Arbitrary<ListRequest>;
  funnel(): fc.Arbitrary<FunnelRequest>;
  retention(): fc.Arbitrary<RetentionRequest>;
}

export function requestsAbout(world: World): Requests {
  const filters = filtersAbout(world);
  const zone = { time_zone: anyOf([world.zone, world.zone, ...Object.keys(ZONES)]) };
  const entering = { filters: filters('event', 'analytics'), group_by: groupsOf('event'), ...zone };
  const conditions = filters('event', 'analytics').map((all) =>
    all.filter((one, at) => !('attribute' in one && one.attribute === 'date_range') && at < 1),
  );
  const named = fc.record<RequestStep, 'event_name'>(
    { event_name: anyOf(EVENT_NAMES.slice(0, 3)), filters: conditions },
    { requiredKeys: ['event_name'] },
  );
  const step = fc.record({ event_name: anyOf(EVENT_NAMES), filters: conditions }, { requiredKeys: [] });
  const days = fc.uniqueArray(anyOf([1, 2, 3, 5, 7, 14, 30, 60]), { minLength: 1, maxLength: 4 });
  return {
    funnel: () =>
      fc.record<FunnelRequest, 'steps' | 'within_minutes'>(
        {
          ...entering,
          steps: fc.array(named, { minLength: 2, maxLength: 4 }),
          within_minutes: anyOf([1, 15, 60, 1440, 10_080, 43_200]),
        },
        { requiredKeys: ['steps', 'within_minutes'] },
      ),
    retention: () =>
      fc.record<RetentionRequest, 'days'>(
        { ...entering, start: step, return: step, days },
        { requiredKeys: ['days'] },
      ),
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
