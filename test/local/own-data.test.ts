import { afterAll, describe, expect, test } from 'vitest';
import {
  BACKTEST,
  BACKTEST_FROM_NOON,
  FROM_MIDNIGHT,
  imported,
  RULE_SETS,
  removeMonths,
  reportsNothing,
  reportsTheIncidentOnce,
  SIMULATE_EARLY,
  sentByStart,
} from './own-months.ts';

// test/long/own-data.test.ts has the ways that differ little from these.
afterAll(removeMonths);

describe('a month in which failed checkouts of one version triple for the last three days', () => {
  test('backtest: reports it once, and nothing else', () => reportsTheIncidentOnce(BACKTEST));

  test('start: sends one message on it, and nothing else', async () => {
    expect(await sentByStart(await imported(FROM_MIDNIGHT, true), RULE_SETS.flagship)).toEqual([
      expect.stringMatching(/Checkout failed in version 5\.2\.0 up \d+ %/),
    ]);
  });
});

describe('the same month without that', () => {
  test.each([SIMULATE_EARLY, BACKTEST, BACKTEST_FROM_NOON])(
    '$way: reports nothing, by any rule of a newcomer',
    reportsNothing,
  );

  test('start: sends nothing, by any daily rule of a newcomer', async () =>
    expect(await sentByStart(await imported(FROM_MIDNIGHT, false), RULE_SETS.daily)).toEqual([]));
});
