import { afterAll, test } from 'vitest';
import { BACKTEST_FROM_NOON, removeMonths, reportsTheIncidentOnce } from '../long/local/own-months.ts';

// test/long/local/own-data.test.ts has the other month.
afterAll(removeMonths);

test('backtest from noon on: reports the incident once, and nothing else', () =>
  reportsTheIncidentOnce(BACKTEST_FROM_NOON));
