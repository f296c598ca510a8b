import type { Asked, AskedMetric, Count, Endpoint, Measure } from './metric.ts';

const sessions: Measure = { aggregation: { attribute: 'session_count' }, key: 'session_count' };
const users: Measure = { aggregation: { attribute: 'user_count' }, key: 'user_count' };

const count = (endpoint: Endpoint, attribute: string, unit: string, addsUp: boolean): Asked & Count => ({
  kind: 'count',
  addsUp,
  endpoint,
  unit,
  aggregation: { attribute },
  key: attribute,
});

const sessionTotal = (attribute: string, unit: string): Asked & Count => ({
  kind: 'count',
  addsUp: true,
  endpoint: 'session',
  unit,
  aggregation: { attribute, operator: 'sum' },
  key: `sum_${attribute}`,
});

const mean = (endpoint: 'session' | 'user', attribute: string, unit: string): AskedMetric => ({
  kind: 'mean',
  endpoint,
  unit,
  // The interface names averages of sessions and of users differently.
  aggregation: endpoint === 'session' ? { attribute: `avg_${attribute}` } : { attribute, operator: 'avg' },
  key: `avg_${attribute}`,
  weight: endpoint === 'session' ? sessions : users,
});

/** Every metric a rule can watch, by the name that rules use. */
export const METRICS = {
  event_count: count('event', 'event_count', 'events', true),
  event_users: count('event', 'event_unique_user_count', 'users', false),
  event_sessions: count('event', 'event_unique_session_count', 'sessions', false),
  sessions: count('session', 'session_count', 'sessions', true),
  session_users: count('session', 'session_unique_user_count', 'users', false),
  new_users: count('session', 'session_new_users_count', 'new users', false),
  rage_gestures: sessionTotal('session_rage_gesture_count', 'rage gestures'),
  gestures: sessionTotal('session_gesture_count', 'gestures'),
  unresponsive_gestures: sessionTotal('session_unresponsive_gesture_count', 'unresponsive gestures'),
  rage_gestures_per_session: mean('session', 'session_rage_gesture_count', 'rage gestures per session'),
  gestures_per_session: mean('session', 'session_gesture_count', 'gestures per session'),
  responsive_gestures_per_session: mean(
    'session',
    'session_responsive_gesture_count',
    'responsive gestures per session',
  ),
  unresponsive_gestures_per_session: mean(
    'session',
    'session_unresponsive_gesture_count',
    'unresponsive gestures per session',
  ),
  unique_screens_per_session: mean('session', 'session_unique_screen_count', 'screens per session'),
  session_seconds: mean('session', 'session_duration', 'seconds per session'),
  users: count('user', 'user_count', 'users', false),
  rage_gestures_per_user: mean('user', 'user_rage_gesture_count', 'rage gestures per user'),
  events_per_user: mean('user', 'user_event_count', 'events per user'),
  sessions_per_user: mean('user', 'user_session_count', 'sessions per user'),
  screens_per_user: mean('user', 'user_session_screen_count', 'screens per user'),
  seconds_per_user: mean('user', 'user_session_duration', 'seconds per user'),
} as const satisfies Record<string, AskedMetric>;

export type MetricName = keyof typeof METRICS;
