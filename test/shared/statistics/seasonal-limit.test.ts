import { expect, test } from 'vitest';
import { SeasonalLimit, sigmaLimit, sizeLimit } from '../../../shared/statistics/seasonal-limit.ts';

/** The limit of rises after days with these extremes. */
function limitAfter(extremes: number[], limitOf = sigmaLimit(5, 7)): number {
  const limit = new SeasonalLimit({ days: 56, windowsADay: 1, factor: 1 }, { fall: () => 1, rise: limitOf });
  for (const extreme of extremes) limit.learn(extreme);
  return limit.limitFor(1);
}
const days = (count: number, extreme: number) => Array<number>(count).fill(extreme);

test.each([
  ['is that of a wild series until a week is known', days(6, 2), 7],
  ['is low for a calm series', days(7, 2), 5],
  ['is twice the fourth largest day in between', days(28, 3), 6],
  ['is that of a wild series if large outliers recur', [...days(24, 2), ...days(4, 6)], 7],
  ['ignores three outliers', [...days(25, 2), ...days(3, 20)], 5],
  ['is the size of outliers that recur', [...days(24, 2), ...days(4, 20)], 20],
])('a limit in standard deviations %s', (_, extremes, limit) => {
  expect(limitAfter(extremes)).toBe(limit);
});

test('a limit of size rises less than the second largest day', () => {
  expect(limitAfter([3, 50], sizeLimit(6, 0.5))).toBe(6);
  expect(limitAfter([24, 50], sizeLimit(6, 0.5))).toBe(12);
});

test('days without a learned window are not remembered', () => {
  const limit = new SeasonalLimit(
    { days: 56, windowsADay: 1, factor: 1 },
    { fall: () => 1, rise: sigmaLimit(5, 7) },
  );
  for (let day = 0; day < 40; day++) limit.learn(20);
  for (let day = 0; day < 60; day++) limit.learn(undefined);
  expect(limit.limitFor(1)).toBe(20);
  expect(limit.rankOf(1)).toEqual({ larger: 40, remembered: 40 });
});

test('falls do not raise the limit of rises', () => {
  expect(limitAfter(days(28, -20))).toBe(5);
});
