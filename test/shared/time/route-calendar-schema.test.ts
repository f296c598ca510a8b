import { expect, test } from 'vitest';
import { isAmongDays } from '../../../shared/time/route-calendar-schema.ts';

test.each([
  ['mon-fri', [1, 2, 3, 4, 5]],
  ['fri-mon', [1, 5, 6, 7]],
  ['sat-sun', [6, 7]],
  ['wed', [3]],
] as const)('%s means the ISO weekdays %j', (words, days) => {
  expect([1, 2, 3, 4, 5, 6, 7].filter((day) => isAmongDays(day, words))).toEqual(days);
});
