import { expect, test } from 'vitest';
import { EventHours } from '../../../local/replay/event-hours.ts';
import { HOUR, MONDAY } from '../../fixtures/builders.ts';

const MINUTE = 60_000;

const hours = new EventHours();
hours.add(MONDAY, 6);
hours.add(MONDAY + HOUR, 0);
hours.add(MONDAY + 2 * HOUR, 1);

test.each<{ name: string; at: number; newest: number | null }>([
  { name: 'before all', at: MONDAY - 1, newest: null },
  { name: 'before the first of an hour', at: MONDAY + 4 * MINUTE, newest: null },
  { name: 'in the middle of an hour', at: MONDAY + 26 * MINUTE, newest: MONDAY + 25 * MINUTE },
  { name: 'in an hour without any', at: MONDAY + HOUR + 30 * MINUTE, newest: MONDAY + 55 * MINUTE },
  {
    name: 'before the only one of an hour',
    at: MONDAY + 2 * HOUR + 20 * MINUTE,
    newest: MONDAY + 55 * MINUTE,
  },
  { name: 'long after', at: MONDAY + 90 * HOUR, newest: MONDAY + 2 * HOUR + 30 * MINUTE },
])('spreads the events of an hour evenly: $name', ({ at, newest }) => {
  expect(hours.newestBy(at)).toBe(newest);
});
