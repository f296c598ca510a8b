import { describe, expect, test } from 'vitest';
import type { Aggregation } from '../../../shared/contract/grouping.ts';
import type { ReadingRow } from '../../../shared/readings/reading.ts';
import { metricKey, newKnowledge } from '../../../shared/source/answer-knowledge.ts';
import { derivedRows } from '../../../shared/source/derived-figures.ts';
import { planFor } from '../../../shared/source/metric-substitutes.ts';
import { QuestionRefusedError } from '../../../shared/source/refusals.ts';
import { aQuestion } from '../../fixtures/questions.ts';

const RAGE: Aggregation = { attribute: 'session_rage_gesture_count', operator: 'sum' };
const SESSIONS: Aggregation = { attribute: 'session_count' };

/** The rows of a question about sessions and rage gestures. The service refuses the rage gestures. */
function derived(sessions: ReadingRow[], users: ReadingRow[]) {
  const question = aQuestion({ endpoint: 'session', aggregations: [SESSIONS, RAGE] });
  const knowledge = newKnowledge();
  knowledge.metrics.set(metricKey(question, RAGE), { isKnown: false, reason: 'refused', refusedAt: 0 });
  const plan = planFor(question, knowledge);
  const answers = plan.questions.map((each) => ({
    question: each,
    rows: each.endpoint === 'session' ? sessions : users,
  }));
  return derivedRows(question, plan, [answers]).flat();
}

const of = (user_count: number, avg_user_rage_gesture_count: number, avg_user_session_duration = 61.23) => ({
  ...{ user_count, avg_user_rage_gesture_count, avg_user_session_duration },
});
const total = (sum_session_rage_gesture_count: number) => ({ sum_session_rage_gesture_count });

describe('a total derived from an average', () => {
  test.each([
    ['an unrounded average', of(7, 12 / 7), 12],
    ['an unrounded average of many users', of(1_000_003, 200_001 / 1_000_003), 200_001],
    ['a round average beside averages with all decimals', of(900, 0, 61.123456789), 0],
    ['an integer whose rounding changes the total by one', of(2, 6, 61), 12],
    ['an average of an unknown number of users', { ...of(0, 1.5), user_count: null }, 0],
    ['an average with little rounding relative to the total', of(1000, 0.12), 120],
    ['an average whose rounding changes the total by less than one', of(150, 0.01), 2],
    ['no users', { user_count: 0, avg_user_rage_gesture_count: null, avg_user_session_duration: null }, 0],
  ])('is computed from %s', (_, current, sum) => {
    expect(derived([{ current: { session_count: 5 } }], [{ current }])).toEqual([
      { current: { session_count: 5, ...total(sum) } },
    ]);
  });

  test.each([
    [
      'rounded too much relative to the total',
      of(5000, 0.01),
      /to 2 decimals, which is too inaccurate: a total of 50, .* may be off by 25$/,
    ],
    [
      'rounded to zero',
      of(5000, 0),
      /to 2 decimals, which is too inaccurate: a total of 0, .* may be off by 25$/,
    ],
    [
      'an integer like all others',
      of(40, 1, 61),
      /to 0 decimals, which is too inaccurate: a total of 40, .* may be off by 20$/,
    ],
  ])('is refused for an average that is %s', (_, current, says) => {
    const make = () => derived([{ current: { session_count: 5 } }], [{ current }]);
    expect(make).toThrow(says);
    expect(make).toThrow(QuestionRefusedError);
  });
});

describe('rows of two responses', () => {
  const visits = (segment: string, session_count: number) => ({ segment, current: { session_count } });
  const rage = (segment: string, count: number) => ({ segment, current: of(count, 1.123456789) });

  test('are joined by group, with zero for a missing row', () => {
    expect(derived([visits('ios', 5), visits('web', 3)], [rage('ios', 0)])).toEqual([
      { segment: 'ios', current: { session_count: 5, ...total(0) } },
      { segment: 'web', current: { session_count: 3, ...total(0) } },
    ]);
  });

  test('are refused if a group may be in the folded rest', () => {
    const rest = { segment: 'others', isRest: true as const, current: { session_count: 2 } };
    const make = () => derived([visits('ios', 5), rest], [rage('ios', 0), rage('web', 0)]);
    expect(make).toThrow(/more groups than can be combined/);
    expect(make).toThrow(QuestionRefusedError);
  });
});
