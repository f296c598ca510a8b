import { describe, expect, test } from 'vitest';
import type { Alert } from '../../../shared/alerts/alert.ts';
import { isExpected, LARGEST_MOVES, largestMoves, moveOf } from '../../../shared/alerts/moves.ts';
import type { Evaluation } from '../../../shared/evaluation/evaluation.ts';
import {
  alertOf,
  breached,
  dayAt,
  type EvaluationOverrides,
  evaluationOf,
  ruleNamed,
  value,
} from '../../fixtures/builders.ts';

const rule = ruleNamed('orders', { group_by: 'device_country' });
const moved = (change: number, overrides: EvaluationOverrides = {}) =>
  evaluationOf(2, { current: value(100 + 100 * change), difference: 100 * change, change, ...overrides });
const segment = (name: string, last: Evaluation): Alert => alertOf(rule, { segment: name, last });
const asOf = dayAt(2).endAt;
const volume = { gate: 'volume', passed: false, code: 'too-little-volume' } as const;
const figures = { current: 2, baseline: 1, difference: 1, minimum: 50 };

describe('the move of a rule', () => {
  test('is the largest of its series, with its expected range', () => {
    const series = [segment('DE', moved(0.1)), segment('FR', breached(2)), segment('IT', moved(0.5))];
    expect(moveOf(rule, series, asOf)).toEqual({
      ...{ ruleId: 'orders', segment: 'FR', window: dayAt(2), value: 40, baseline: 100, change: -0.6 },
      band: { expected: 100, low: 70, high: null },
    });
  });

  test.each<[string, Evaluation]>([
    ['did not change', moved(0)],
    ['has no data', moved(-1, { verdict: 'no-data' })],
    ['could not be evaluated', moved(0.5, { verdict: 'inconclusive' })],
    ['has too little volume', moved(0.5, { gates: [{ ...volume, figures, short: 'current' }] })],
    ['is older', moved(0.5, { current: { ...value(150), window: dayAt(1) } })],
  ])('is not a series that %s', (_, last) => {
    expect(moveOf(rule, [segment('DE', last)], asOf)).toBeUndefined();
  });

  test.each([
    [moved(-0.3), true],
    [moved(-0.31), false],
    [moved(9), true],
  ])('is compared with the expected range (%#)', (last, expected) => {
    const move = moveOf(rule, [segment('DE', last)], asOf);
    expect(move && isExpected(move)).toBe(expected);
  });

  test('may have no known range', () => {
    const seasonal = ruleNamed('seasonal', {
      anomaly: 'fall',
      minimum: { difference: 50 },
      compare: undefined,
      fire: undefined,
    });
    const move = moveOf(seasonal, [alertOf(seasonal, { last: moved(0.5) })], asOf);
    expect(move && isExpected(move)).toBeUndefined();
  });
});

test('the largest moves are few, the largest first', () => {
  const move = (change: number | null) => ({
    ...{ ruleId: 'a', segment: null, window: dayAt(2) },
    value: 1,
    baseline: 1,
    change,
    band: null,
  });
  const sorted = largestMoves([0.1, -0.9, null, ...Array.from({ length: 9 }, () => 0.01)].map(move));
  expect(sorted).toHaveLength(LARGEST_MOVES);
  expect(sorted.slice(0, 4).map(({ change }) => change)).toEqual([null, -0.9, 0.1, 0.01]);
});
