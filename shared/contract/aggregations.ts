import * as z from 'zod';
import type { Resource } from './attributes.ts';
import {
  type Aggregation,
  aggregationKey,
  aggregationSchema,
  OPERATIONS,
  type Operation,
  splitPrefix,
} from './grouping.ts';

/** Metrics without an operator: counts, and shares from 0 to 1. */
export const COUNTS = {
  event: ['event_count', 'event_unique_user_count', 'event_unique_session_count'],
  session: ['session_count', 'session_unique_user_count', 'session_new_users_count'],
  user: ['user_count', 'session_new_users_count'],
  screen: [
    'screen_visits',
    'unique_users',
    'unique_sessions',
    'rage_gesture_count',
    'entries',
    'exits',
    'exit_rate',
    'bounce_rate',
  ],
} as const satisfies Record<Resource, readonly string[]>;

const USER_NUMBERS = [
  'user_session_count',
  'user_session_duration',
  'user_session_screen_count',
  'user_event_count',
  'user_gesture_count',
  'user_rage_gesture_count',
  'user_responsive_gesture_count',
  'user_unresponsive_gesture_count',
] as const;

/** Numbers of one event, session or user, which an operation aggregates. Those of users are only added over sessions. */
export const NUMBERS = {
  event: ['event_custom_property'],
  session: [
    'session_duration',
    'session_gesture_count',
    'session_rage_gesture_count',
    'session_responsive_gesture_count',
    'session_unresponsive_gesture_count',
    'session_screen_count',
    'session_unique_screen_count',
    ...USER_NUMBERS,
  ],
  user: USER_NUMBERS,
  screen: ['time_on_screen'],
} as const satisfies Record<Resource, readonly string[]>;

export type CountName<R extends Resource = Resource> = (typeof COUNTS)[R][number];
export type NumberName<R extends Resource = Resource> = (typeof NUMBERS)[R][number];

/** The default operation of numbers for which the interface documents only one. */
const ONLY_OPERATION: Readonly<Partial<Record<NumberName, Operation>>> = {
  user_session_count: 'avg',
  user_session_duration: 'avg',
  user_session_screen_count: 'avg',
  user_event_count: 'avg',
  user_rage_gesture_count: 'avg',
};

/** A metric as it is computed; `key` is its field in a row. */
export type Metric<R extends Resource = Resource> =
  | { readonly kind: 'count'; readonly key: string; readonly count: CountName<R> }
  | {
      readonly kind: 'operation';
      readonly key: string;
      readonly operation: Operation;
      readonly number: NumberName<R>;
      readonly propertyName?: string;
    };

export const DEFAULT_AGGREGATION: Readonly<Record<Resource, readonly Aggregation[]>> = {
  event: named(...COUNTS.event),
  session: named(
    ...COUNTS.session,
    'avg_session_duration',
    'avg_session_gesture_count',
    'avg_session_rage_gesture_count',
    'avg_session_responsive_gesture_count',
    'avg_session_unresponsive_gesture_count',
    'avg_session_unique_screen_count',
  ),
  user: named(
    ...COUNTS.user,
    'avg_user_session_count',
    'avg_user_session_duration',
    'avg_user_rage_gesture_count',
    'avg_user_event_count',
    'avg_user_session_screen_count',
  ),
  screen: named(
    'screen_visits',
    'unique_users',
    'unique_sessions',
    'avg_time_on_screen',
    'rage_gesture_count',
    'entries',
    'exits',
    'exit_rate',
    'bounce_rate',
  ),
};

function named(...attributes: string[]): Aggregation[] {
  return attributes.map((attribute) => ({ attribute }));
}

type Fault = { readonly field: 'attribute' | 'operator' | 'property_name'; readonly message: string };

/** The metric of an aggregation of `resource`, or what is wrong with it. */
export function metricOf<R extends Resource>(resource: R, aggregation: Aggregation): Metric<R> | Fault {
  const { operation: prefix, name } = splitPrefix(aggregation.attribute);
  const { operator, property_name: propertyName } = aggregation;
  const count = COUNTS[resource].find((candidate): candidate is CountName<R> => candidate === name);
  if (count !== undefined && prefix === undefined) {
    if (propertyName !== undefined)
      return { field: 'property_name', message: `${name} takes no property_name` };
    if (operator && operator !== 'count')
      return { field: 'operator', message: `${name} can only be counted` };
    return { kind: 'count', key: aggregationKey(aggregation), count };
  }
  const number = NUMBERS[resource].find((candidate): candidate is NumberName<R> => candidate === name);
  if (number === undefined) {
    const accepted = [...COUNTS[resource], ...NUMBERS[resource]].join(', ');
    return { field: 'attribute', message: `unknown metric of ${resource}s; use ${accepted}` };
  }
  if (prefix !== undefined && operator && operator !== prefix) {
    return { field: 'operator', message: `${operator} conflicts with the prefix ${prefix}_` };
  }
  const isUserTotal = resource === 'session' && USER_NUMBERS.some((each) => each === number);
  const named = OPERATIONS.find((candidate) => candidate === operator);
  const operation = prefix ?? named ?? (operator ? undefined : ONLY_OPERATION[number]);
  if (operation === undefined || (isUserTotal && operation !== 'sum')) {
    const accepted = isUserTotal ? 'sum' : `one of ${OPERATIONS.join(', ')}`;
    return { field: 'operator', message: `${name} needs ${accepted}` };
  }
  if ((name === 'event_custom_property') !== (propertyName !== undefined)) {
    const verb = propertyName === undefined ? 'needs a' : 'takes no';
    return { field: 'property_name', message: `${name} ${verb} property_name` };
  }
  const key = aggregationKey({ ...aggregation, operator: operation });
  return { kind: 'operation', key, operation, number, ...(propertyName !== undefined && { propertyName }) };
}

/** The `aggregation` of one query, parsed into metrics; one that is requested twice is one field. By default, the default set. */
export function metricsFor<R extends Resource>(resource: R) {
  return z
    .array(aggregationSchema, { error: 'not a list of metrics' })
    .min(1, 'an empty list')
    .max(20, 'over 20 metrics')
    .prefault([...DEFAULT_AGGREGATION[resource]])
    .transform((aggregations, context) => {
      const metrics = new Map<string, Metric<R>>();
      aggregations.forEach((aggregation, index) => {
        const metric = metricOf(resource, aggregation);
        const fail = (message: string, field: string) =>
          context.addIssue({ code: 'custom', message, path: [index, field] });
        if ('message' in metric) fail(metric.message, metric.field);
        else metrics.set(metric.key, metric);
      });
      return [...metrics.values()];
    });
}
