import { expect, test } from 'vitest';
import { Anniversary } from '../../../shared/statistics/anniversary.ts';

test.each([
  [363, []],
  [364, [1]],
  [365, [2, 1]],
  [371, [8, 7, 6, 1]],
  [380, [17, 16, 15, 10]],
])('after %d days, the ratios are those around a year before the next day: %j', (days, expected) => {
  const year = new Anniversary(1);
  for (let day = 1; day <= days; day++) year.learn(day);
  expect([...year.ratios()]).toEqual(expected);
});

test('a day that is not unusual has no ratio', () => {
  const year = new Anniversary(1);
  for (let day = 1; day <= 365; day++) year.learn(day === 2 ? undefined : day);
  expect([...year.ratios()]).toEqual([1]);
});

test('a year has as many windows as its days', () => {
  const year = new Anniversary(2);
  for (let halfDay = 1; halfDay <= 2 * 365; halfDay++) year.learn(halfDay);
  expect([...year.ratios()]).toEqual([3, 1]);
});
