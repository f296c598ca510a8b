import { expect, test } from 'vitest';
import { expectedCounts, expectedTotals } from '../../../shared/statistics/attribution-gain.ts';

const leaf = (value: string, baseline: [number, number], current: [number, number]) => ({
  values: [value],
  baseline: { amount: baseline[0], weight: baseline[1] },
  current: { amount: current[0], weight: current[1] },
});

test('expectedCounts expects nearly zero for a value that was zero', () => {
  const expected = expectedCounts([leaf('a', [10, 1], [10, 1]), leaf('b', [0, 1], [5, 1])]);
  expect(expected.map((each) => each.expected)).toEqual([
    expect.closeTo((10.2 * (102 / 10.4)) / (102 / 10.4 + 0.2), 9),
    expect.closeTo((0.2 * (2 / 10.4)) / (2 / 10.4 + 0.2), 9),
  ]);
});

test('expectedTotals expects the overall mean for a new value', () => {
  const expected = expectedTotals([leaf('a', [3000, 10], [3000, 10]), leaf('b', [0, 0], [900, 4])]);
  expect(expected.map((each) => each.expected)).toEqual([expect.closeTo(10, 9), expect.closeTo(4, 9)]);
});
