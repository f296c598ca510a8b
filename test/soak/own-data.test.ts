import { afterAll, test } from 'vitest';
import {
  BACKTEST_FROM_NOON,
  removeMonths,
  reportsNothing,
  reportsTheIncidentOnce,
  SIMULATE,
  SIMULATE_EARLY,
} from '../long/local/own-months.ts';

// The ways that test/long/local/own-data.test.ts leaves out.
afterAll(removeMonths);

test.each([SIMULATE, SIMULATE_EARLY, BACKTEST_FROM_NOON])(
  '$way: reports the incident once, and nothing else',
  (way) => reportsTheIncidentOnce(way),
);

test('simulate: reports nothing in a month without an incident', () => reportsNothing(SIMULATE));
