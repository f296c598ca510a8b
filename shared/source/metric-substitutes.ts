import { ATTRIBUTES } from '../contract/attributes.ts';
import { type Aggregation, aggregationKey } from '../contract/grouping.ts';
import type { Figures, Subject } from '../readings/reading.ts';
import type { Endpoint } from '../rules/metric.ts';
import { lazyIn } from '../units/lazy.ts';
import { metricKey, type ServiceKnowledge } from './answer-knowledge.ts';
import { QuestionRefusedError } from './refusals.ts';

/** The documented metrics, by row key. All metrics of users are documented. */
const NAMED: Readonly<Record<'event' | 'session', readonly string[]>> = {
  event: ['event_count', 'event_unique_user_count', 'event_unique_session_count'],
  session: [
    'session_count',
    'session_unique_user_count',
    'avg_session_duration',
    'avg_session_gesture_count',
  ],
};

/** Whether the interface documents the metric, so that every service answers it. */
export function isNamed(endpoint: Endpoint, asked: Aggregation): boolean {
  return endpoint === 'user' || NAMED[endpoint].includes(aggregationKey(asked));
}

/**
 * An average and the number of sessions or users that it averages: their product is the total. `precise` is an average
 * of durations, which is rarely round and so shows how many decimals the service returns.
 */
export interface Total {
  count: string;
  mean: string;
  precise: string;
}

/**
 * Figures that replace a metric that the service does not answer. `total` is only exact if the service does not round
 * averages, which `totalsOf` checks.
 */
interface Substitute {
  asks: readonly { endpoint: Endpoint; aggregation: Aggregation }[];
  total?: Total;
  /** Computes the figure from the requested ones and their total. */
  figure: (figures: Figures, total: number | null) => number | null;
}

const ofUsers = (attribute: string, operator?: 'avg') =>
  ({ endpoint: 'user', aggregation: { attribute, ...(operator && { operator }) } }) as const;
const ofSessions = (attribute: string) => ({ endpoint: 'session', aggregation: { attribute } }) as const;

const USER_RAGE = {
  asks: [
    ofUsers('user_count'),
    ofUsers('user_rage_gesture_count', 'avg'),
    ofUsers('user_session_duration', 'avg'),
  ],
  total: {
    count: 'user_count',
    mean: 'avg_user_rage_gesture_count',
    precise: 'avg_user_session_duration',
  },
};

/** By row key of a metric of sessions. */
const SUBSTITUTES: Readonly<Record<string, Substitute>> = {
  session_new_users_count: {
    asks: [ofUsers('session_new_users_count')],
    figure: (figures) => figures.session_new_users_count ?? 0,
  },
  sum_session_rage_gesture_count: {
    ...USER_RAGE,
    figure: (_, total) => total,
  },
  avg_session_rage_gesture_count: {
    ...USER_RAGE,
    asks: [ofSessions('session_count'), ...USER_RAGE.asks],
    figure: ({ session_count: sessions }, total) => (sessions && total !== null ? total / sessions : null),
  },
  sum_session_gesture_count: {
    asks: [
      ofSessions('session_count'),
      ofSessions('avg_session_gesture_count'),
      ofSessions('avg_session_duration'),
    ],
    total: { count: 'session_count', mean: 'avg_session_gesture_count', precise: 'avg_session_duration' },
    figure: (_, total) => total,
  },
};

/** A question with substitutes for some of its metrics. */
export interface Plan<Q extends Subject> {
  /** One for each endpoint. */
  questions: Q[];
  /** By row key of the replaced metric. */
  substitutes: ReadonlyMap<string, Substitute>;
}

/**
 * The plan for `question` if the service refuses some metrics. Throws `QuestionRefusedError` if there is no substitute.
 */
export function planFor<Q extends Subject>(question: Q, { metrics }: ServiceKnowledge): Plan<Q> {
  const substitutes = new Map<string, Substitute>();
  const asks = new Map<Endpoint, Map<string, Aggregation>>();
  const ask = (endpoint: Endpoint, aggregation: Aggregation) =>
    lazyIn(asks, endpoint, () => new Map()).set(aggregationKey(aggregation), aggregation);
  for (const aggregation of question.aggregations) {
    const found = metrics.get(metricKey(question, aggregation));
    if (found?.isKnown !== false) ask(question.endpoint, aggregation);
    else {
      const substitute = fittingSubstitute(question, aggregation, found.reason);
      substitutes.set(aggregationKey(aggregation), substitute);
      for (const each of substitute.asks) ask(each.endpoint, each.aggregation);
    }
  }
  const questions = [...asks].map(([endpoint, aggregations]) => ({
    ...question,
    endpoint,
    aggregations: [...aggregations.values()],
  }));
  return { questions, substitutes };
}

function fittingSubstitute(question: Subject, asked: Aggregation, refusal: string): Substitute {
  const substitute = question.endpoint === 'session' ? SUBSTITUTES[aggregationKey(asked)] : undefined;
  const name = `${aggregationKey(asked)} of ${question.endpoint}s`;
  if (!substitute) throw cannot(name, `the documented interface has no substitute for it: ${refusal}`);
  const unfit = substitute.asks.some(({ endpoint }) => endpoint === 'user') && unfitFilter(question);
  if (unfit) throw cannot(name, unfit);
  return substitute;
}

/** There filters select sessions, here users: all sessions of a selected user count. */
function unfitFilter({ filters }: Subject): string | undefined {
  const filter = filters.find(({ attribute }) => ATTRIBUTES[attribute].of !== 'user');
  if (!filter) return undefined;
  const { attribute } = filter;
  return ATTRIBUTES[attribute].of === 'device'
    ? `user analytics match ${attribute} by each user's latest session, which gives another figure; group the rule by ${attribute} instead of filtering by it`
    : `user analytics select users by ${attribute} and count all their sessions, which gives another figure; remove the filter`;
}

function cannot(name: string, why: string): QuestionRefusedError {
  return new QuestionRefusedError(`the data access service does not answer ${name}, and ${why}`);
}
