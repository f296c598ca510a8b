import * as z from 'zod';
import { DAY_MS } from '../../shared/units/durations.ts';
import { eventually } from '../fixtures/deltawatch.ts';
import { LAST_RUN_AT } from './shop.ts';

const dayAt = (at: number) => new Date(at).toISOString().slice(0, 10);
/** Full days with data, so that the answers do not change while the tests run. */
const WEEK = {
  attribute: 'date_range',
  operator: 'between_dates',
  value: { lower: dayAt(LAST_RUN_AT - 8 * DAY_MS), upper: dayAt(LAST_RUN_AT - 2 * DAY_MS) },
};
const SEARCH = { attribute: 'event_name', operator: 'equal', value: 'search' };
const by = (...attributes: string[]) => attributes.map((attribute) => ({ attribute }));
const COUNT = by('event_count');
const filters = [WEEK];

/** Paths and bodies of requests: counts that sums by the hour answer, other figures, and lists. */
const QUESTIONS: readonly [path: string, body: object][] = [
  ['event/analytics', { filters: [WEEK, SEARCH], aggregation: COUNT, comparison: 1 }],
  ['event/analytics', { filters, aggregation: COUNT, comparison: 1 }],
  [
    'event/analytics',
    { filters, aggregation: COUNT, group_by: by('event_uploadedon_day', 'device_platform') },
  ],
  ['event/analytics', { filters, aggregation: COUNT, group_by: by('event_name') }],
  ['event/analytics', { filters: [WEEK, SEARCH], aggregation: COUNT, group_by: by('device_country') }],
  ['event/analytics', { filters, aggregation: by('event_unique_user_count', 'event_unique_session_count') }],
  ['session/analytics', { filters, group_by: by('session_uploadedon_day') }],
  ['session/analytics', { filters, aggregation: by('session_count', 'session_new_users_count') }],
  ['user/analytics', { filters }],
  ['screen/analytics', { filters }],
  ['event', { filters: [WEEK, SEARCH], page_size: 50 }],
  ['session', { filters, page_size: 50 }],
];

const RATE_LIMITED = 429;

interface Answer {
  path: string;
  body: object;
  data: unknown[] | undefined;
  error: unknown;
}

/** The answers of the stage's public address. */
export async function answersOf(url: string, key: string): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [path, body] of QUESTIONS) {
    const ask = () =>
      fetch(`${url}/api/data-access/v1/${path}`, {
        method: 'POST',
        headers: { 'X-Api-Key': key, 'Content-Type': 'application/json' },
        body: JSON.stringify({ app_id: 'shop', ...body }),
      });
    const response = await eventually(`an answer of ${path}`, async () => {
      const answer = await ask();
      return answer.status === RATE_LIMITED ? undefined : answer;
    });
    const { data, error } = z
      .object({ data: z.array(z.unknown()).optional(), error: z.unknown().optional() })
      .parse(await response.json());
    answers.push({ path, body, data, error });
  }
  return answers;
}
