import { attributeNamed, propertyValue } from './attributes.ts';
import { byUser } from './choose.ts';
import type { Fact } from './facts.ts';
import type { RequestMetric, Resource } from './requests.ts';

/** A metric of a group: 0 without facts, null if the facts lack the requested number. */
export type Metric = (facts: readonly Fact[]) => number | null;

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
const users = (facts: readonly Fact[]): number => byUser(facts).size;
const newUsers: Metric = (facts) => users(facts.filter(({ session }) => session.session_number === 1));
const uniqueSessions: Metric = (facts) => new Set(facts.map(({ session }) => session.session_id)).size;
const size: Metric = (facts) => facts.length;

const entries: Metric = (facts) => facts.filter(({ visit }) => visit?.is_entry).length;
const exits: Metric = (facts) => facts.filter(({ visit }) => visit?.is_exit).length;
const bounces: Metric = (facts) => facts.filter(({ visit }) => visit?.is_bounce).length;
const share = (part: Metric, whole: Metric): Metric => {
  return (facts) => Number(part(facts)) / (Number(whole(facts)) || 1);
};

type Numbers = (facts: readonly Fact[]) => readonly number[];

function overNumbers(operation: (numbers: readonly number[]) => number, numbersOf: Numbers): Metric {
  return (facts) => {
    const numbers = numbersOf(facts);
    if (facts.length === 0) return 0;
    return numbers.length === 0 ? null : operation(numbers);
  };
}

const NAMED: Readonly<Record<Resource, Readonly<Record<string, Metric>>>> = {
  event: {
    event_count: size,
    event_unique_user_count: users,
    event_unique_session_count: uniqueSessions,
  },
  session: {
    session_count: size,
    session_unique_user_count: users,
    session_new_users_count: newUsers,
  },
  user: { user_count: users, session_new_users_count: newUsers },
  screen: {
    screen_visits: size,
    unique_users: users,
    unique_sessions: uniqueSessions,
    rage_gesture_count: overNumbers(total, (facts) =>
      facts.map(({ visit }) => visit?.visit_rage_gesture_count ?? null).filter((count) => count !== null),
    ),
    entries,
    exits,
    exit_rate: share(exits, size),
    bounce_rate: share(bounces, entries),
  },
};

/** The metrics of a request without any. */
const DEFAULTS: Readonly<Record<Resource, readonly string[]>> = {
  event: Object.keys(NAMED.event),
  session: [
    ...Object.keys(NAMED.session),
    'avg_session_duration',
    'avg_session_gesture_count',
    'avg_session_rage_gesture_count',
    'avg_session_responsive_gesture_count',
    'avg_session_unresponsive_gesture_count',
    'avg_session_unique_screen_count',
  ],
  user: [
    ...Object.keys(NAMED.user),
    'avg_user_session_count',
    'avg_user_session_duration',
    'avg_user_rage_gesture_count',
    'avg_user_event_count',
    'avg_user_session_screen_count',
  ],
  screen: [...Object.keys(NAMED.screen), 'avg_time_on_screen'],
};

const OPERATIONS = {
  sum: total,
  avg: (numbers: readonly number[]) => total(numbers) / numbers.length,
  min: (numbers: readonly number[]) => Math.min(...numbers),
  max: (numbers: readonly number[]) => Math.max(...numbers),
  p50: percentile(0.5),
  p90: percentile(0.9),
  p95: percentile(0.95),
  p99: percentile(0.99),
};

/** Interpolates between the two nearest numbers, as DuckDB and PostgreSQL do. */
function percentile(share: number) {
  return (numbers: readonly number[]) => {
    const sorted = numbers.toSorted((a, b) => a - b);
    const place = (sorted.length - 1) * share;
    const low = sorted[Math.floor(place)] ?? 0;
    const high = sorted[Math.ceil(place)] ?? 0;
    return low + (high - low) * (place - Math.floor(place));
  };
}

/** The metrics of a request by the fields they come back as. */
export function metricsOf(
  resource: Resource,
  asked: readonly RequestMetric[] = DEFAULTS[resource].map((attribute) => ({ attribute })),
): ReadonlyMap<string, Metric> {
  return new Map(asked.map((one) => metricOf(resource, one)));
}

function metricOf(
  resource: Resource,
  { attribute, operator = '', property_name: name }: RequestMetric,
): [string, Metric] {
  const named = NAMED[resource][attribute];
  if (named) return [attribute, named];
  const [, prefix = operator, number = ''] = /^(?:(sum|avg|min|max|p\d\d)_)?(.*)$/.exec(attribute) ?? [];
  const numbersOf = resource === 'user' ? perUser(number) : perFact(number, name);
  const operation = OPERATIONS[prefix as keyof typeof OPERATIONS];
  const field = [prefix, number, name].filter((part) => part !== undefined).join('_');
  return [field, overNumbers(operation, numbersOf)];
}

function perFact(attribute: string, name: string | undefined): Numbers {
  if (attribute === 'time_on_screen')
    return (facts) => facts.map(({ visit }) => visit?.time_on_screen_sec ?? 0);
  const { read } = attributeNamed(attribute);
  if (name === undefined) return (facts) => facts.map((fact) => Number(read(fact)));
  return (facts) =>
    facts
      .map(({ event }) => propertyValue(event?.properties ?? {}, name))
      .filter((value) => typeof value === 'number');
}

function perUser(attribute: string): Numbers {
  const { read } = attributeNamed(attribute);
  return (facts) =>
    [...byUser(facts).values()].map((sessions) => total(sessions.map((fact) => Number(read(fact)))));
}
