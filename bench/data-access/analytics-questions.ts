import { DEFAULT_AGGREGATION } from '../../shared/contract/aggregations.ts';
import type { Resource } from '../../shared/contract/attributes.ts';
import { DAY_MS } from '../../shared/units/durations.ts';
import { get, lastDays, named, post, type Question, type Request } from './question.ts';

interface Analysis extends Pick<Question, 'name' | 'app'> {
  readonly request: Request;
  /** The compared metrics, in the order of the columns of the statements. */
  readonly metrics: readonly string[];
  readonly sql: string;
  /** A faster statement for PostgreSQL, if there is one. */
  readonly postgres?: string;
  readonly clickhouse?: string;
}

const analysis = ({ sql, postgres = sql, clickhouse = sql, metrics, ...rest }: Analysis): Question => ({
  ...rest,
  kind: 'analytics',
  figures: ({ data }) => data.map((row) => metrics.map((metric) => row[metric])),
  duckdb: (ask) => ask(sql),
  peers: { postgres: [postgres], clickhouse: [clickhouse] },
});

const day = `recorded_at - recorded_at % ${DAY_MS}`;
const defaults = (resource: Resource) => DEFAULT_AGGREGATION[resource].map(({ attribute }) => attribute);
/** One statement for all engines, which have different syntax for properties. */
const inAllDialects = (statement: (property: (name: string) => string) => string) => ({
  sql: statement((name) => `json_extract_string(properties, '/${name}')`),
  postgres: statement((name) => `(properties->>'${name}')`),
  clickhouse: statement((name) => `JSONExtract(properties, '${name}', 'String')`),
});
const count = [{ attribute: 'event_count' }];
const [month, twoMonths] = [lastDays(30), lastDays(60)];

const compared = `
  SELECT count(*) FILTER (WHERE recorded_at >= ${month.from}), count(*) FILTER (WHERE recorded_at < ${month.from})
  FROM events WHERE ${twoMonths.sql}`;

export const ANALYTICS: readonly Question[] = [
  analysis({
    name: 'one event, two windows',
    app: 'large',
    request: get('/event/analytics', {
      filters: [named('event_05'), month.filter],
      aggregation: count,
      comparison: 1,
    }),
    metrics: ['event_count', 'event_count_previous'],
    sql: `${compared} AND event_name = 'event_05'`,
  }),
  analysis({
    name: 'all events, two windows',
    app: 'large',
    request: get('/event/analytics', { filters: [month.filter], aggregation: count, comparison: 1 }),
    metrics: ['event_count', 'event_count_previous'],
    sql: compared,
  }),
  analysis({
    name: 'events by day and platform',
    app: 'large',
    request: get('/event/analytics', {
      filters: [month.filter],
      aggregation: count,
      group_by: [{ attribute: 'event_uploadedon_day' }, { attribute: 'device_platform' }],
    }),
    metrics: ['event_count'],
    sql: `SELECT count(*) FROM events WHERE ${month.sql} GROUP BY ${day}, platform`,
  }),
  analysis({
    name: 'events by name, 60 days',
    app: 'large',
    request: get('/event/analytics', {
      filters: [twoMonths.filter],
      aggregation: count,
      group_by: [{ attribute: 'event_name' }],
    }),
    metrics: ['event_count'],
    sql: `SELECT count(*) FROM events WHERE ${twoMonths.sql} GROUP BY event_name`,
  }),
  analysis({
    name: 'one event by country',
    app: 'large',
    request: get('/event/analytics', {
      filters: [named('event_01'), month.filter],
      aggregation: count,
      group_by: [{ attribute: 'device_country', max_group_number: 100 }],
    }),
    metrics: ['event_count'],
    sql: `SELECT count(*) FROM events WHERE event_name = 'event_01' AND ${month.sql} GROUP BY country`,
  }),
  analysis({
    name: 'sessions and gestures by day and platform',
    app: 'large',
    request: get('/session/analytics', {
      filters: [month.filter],
      aggregation: [
        { attribute: 'session_count' },
        { attribute: 'session_rage_gesture_count', operator: 'sum' },
        { attribute: 'avg_session_gesture_count' },
      ],
      group_by: [{ attribute: 'session_uploadedon_day' }, { attribute: 'device_platform' }],
    }),
    metrics: ['session_count', 'sum_session_rage_gesture_count', 'avg_session_gesture_count'],
    sql: `
      SELECT count(*), sum(rage_gesture_count), avg(gesture_count)
      FROM sessions WHERE ${month.sql} GROUP BY ${day}, platform`,
  }),
  analysis({
    name: 'one event by a property',
    app: 'large',
    request: get('/event/analytics', {
      filters: [named('event_01'), month.filter],
      aggregation: [...count, { attribute: 'event_unique_user_count' }],
      group_by: [{ attribute: 'event_custom_property', property_name: 'plan' }],
    }),
    metrics: ['event_count', 'event_unique_user_count'],
    ...inAllDialects(
      (property) => `
      SELECT count(*), count(DISTINCT user_id) FROM events
      WHERE event_name = 'event_01' AND ${month.sql} GROUP BY ${property('plan')}`,
    ),
  }),
  analysis({
    name: 'sum of a property where another is',
    app: 'large',
    request: get('/event/analytics', {
      filters: [
        named('event_02'),
        { attribute: 'event_custom_property', property_name: 'plan', operator: 'equal', value: 'pro' },
        month.filter,
      ],
      aggregation: [{ attribute: 'event_custom_property', property_name: 'price', operator: 'sum' }],
    }),
    metrics: ['sum_event_custom_property_price'],
    // With `=` instead of `IN`, DuckDB parses the properties of all events first: 34 ms instead of 21.
    ...inAllDialects(
      (property) => `
      SELECT sum(CAST(${property('price')} AS DOUBLE PRECISION)) FROM events
      WHERE event_name = 'event_02' AND ${month.sql} AND ${property('plan')} IN ('pro')`,
    ),
  }),
  analysis({
    name: 'unique users of 60 days',
    app: 'large',
    request: get('/event/analytics', {
      filters: [twoMonths.filter],
      aggregation: [{ attribute: 'event_unique_user_count' }],
    }),
    metrics: ['event_unique_user_count'],
    sql: `SELECT count(DISTINCT user_id) FROM events WHERE ${twoMonths.sql}`,
    postgres: `SELECT count(*) FROM (SELECT DISTINCT user_id FROM events WHERE ${twoMonths.sql}) AS users`,
  }),
  analysis({
    name: 'default set of sessions by day',
    app: 'medium',
    request: get('/session/analytics', {
      filters: [month.filter],
      group_by: [{ attribute: 'session_uploadedon_day' }],
    }),
    metrics: defaults('session'),
    sql: `
      SELECT count(*), count(DISTINCT user_id), count(DISTINCT user_id) FILTER (WHERE session_number = 1),
        avg(duration_sec), avg(gesture_count), avg(rage_gesture_count), avg(responsive_gesture_count),
        avg(unresponsive_gesture_count), avg(unique_screen_count)
      FROM sessions WHERE ${month.sql} GROUP BY ${day}`,
  }),
  analysis({
    name: 'default set of users',
    app: 'large',
    request: post('/user/analytics', { filters: [month.filter] }),
    metrics: defaults('user'),
    sql: `
      SELECT count(*), sum(is_new), avg(sessions), avg(duration), avg(rage_gestures), avg(events), avg(screens)
      FROM (
        SELECT max(CASE WHEN session_number = 1 THEN 1 ELSE 0 END) AS is_new, count(*) AS sessions,
          sum(duration_sec) AS duration, sum(rage_gesture_count) AS rage_gestures, sum(event_count) AS events,
          sum(screen_count) AS screens
        FROM sessions WHERE ${month.sql} GROUP BY user_id
      ) AS users`,
  }),
  analysis({
    name: 'default set of screens',
    app: 'small',
    request: post('/screen/analytics', { filters: [month.filter] }),
    metrics: defaults('screen'),
    sql: `
      SELECT count(*), count(DISTINCT user_id), count(DISTINCT session_id), avg(time_on_screen_sec),
        sum(visit_rage_gesture_count), count(*) FILTER (WHERE is_entry), count(*) FILTER (WHERE is_exit),
        avg(CASE WHEN is_exit THEN 1.0 ELSE 0.0 END),
        CAST(count(*) FILTER (WHERE is_bounce) AS DOUBLE PRECISION) / count(*) FILTER (WHERE is_entry)
      FROM screen_visits WHERE ${month.sql} GROUP BY screen_name`,
  }),
];
