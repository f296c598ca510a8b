import { expect, test } from 'vitest';
import { SeasonalProfile } from '../../../shared/statistics/seasonal-profile.ts';
import { DAILY } from '../../../shared/statistics/seasonality.ts';

const WEEK = [100, 100, 120, 100, 100, 40, 40];

/** What is expected of each day of the week, relative to Monday. */
function expectedAfter(weeks: number): number[] {
  const profile = new SeasonalProfile(DAILY);
  for (let i = 0; i < weeks * 7; i++) profile.learn(i % 7, WEEK[i % 7] ?? 0);
  const expected = WEEK.map((_, day) => profile.expectedIn(day, 1) ?? Number.NaN);
  return expected.map((each) => each / (expected[0] ?? Number.NaN));
}

test('after a few weeks, a day is expected between its own level and that of the other working days', () => {
  const [, , wednesday, , , saturday] = expectedAfter(4);
  expect(wednesday).toBeGreaterThan(1.05);
  expect(wednesday).toBeLessThan(1.13);
  expect(saturday).toBeLessThan(0.45);
});

test('after eight weeks, each day is expected at its own level', () => {
  const [, tuesday, wednesday, , , saturday] = expectedAfter(8);
  expect(tuesday).toBeCloseTo(1, 1);
  expect(wednesday).toBeCloseTo(1.2, 1);
  expect(saturday).toBeCloseTo(0.4, 1);
});
