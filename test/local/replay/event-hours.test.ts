import { expect, test } from 'vitest';
import { newestBy } from '../../../local/replay/archive-reader.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/units/durations.ts';
import { MONDAY } from '../../fixtures/builders.ts';

const hours = new Map([
  [MONDAY, 6],
  [MONDAY + 2 * HOUR_MS, 1],
]);

test.each<{ name: string; at: number; newest: number | null }>([
  { name: 'before all', at: MONDAY - 1, newest: null },
  { name: 'before the first of an hour', at: MONDAY + 4 * MINUTE_MS, newest: null },
  { name: 'in the middle of an hour', at: MONDAY + 26 * MINUTE_MS, newest: MONDAY + 25 * MINUTE_MS },
  { name: 'in an hour without any', at: MONDAY + HOUR_MS + 30 * MINUTE_MS, newest: MONDAY + 55 * MINUTE_MS },
  {
    name: 'before the only one of an hour',
    at: MONDAY + 2 * HOUR_MS + 20 * MINUTE_MS,
    newest: MONDAY + 55 * MINUTE_MS,
  },
  { name: 'long after', at: MONDAY + 90 * HOUR_MS, newest: MONDAY + 2 * HOUR_MS + 30 * MINUTE_MS },
])('spreads the events of an hour evenly: $name', ({ at, newest }) => {
  expect(newestBy(at, hours)).toBe(newest);
});
