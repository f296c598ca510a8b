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
  sentByStart,
} from './own-months.ts';

// test/soak/own-data.test.ts covers similar variants.
afterAll(removeMonths);

describe('a month in which failed checkouts of one version triple', () => {
  test('backtest: reports only this incident, once', () => reportsTheIncidentOnce(BACKTEST));

  test('start: sends one message about it, and no other', async () => {
    expect(await sentByStart(await imported(FROM_MIDNIGHT, true), RULE_SETS.flagship)).toEqual([
      expect.stringMatching(/Checkout failed in version 5\.2\.0 up \d+%/),
    ]);
  });
});

describe('the same month without the incident', () => {
  test.each([BACKTEST, BACKTEST_FROM_NOON])('$way: reports nothing', reportsNothing);

  test('start: sends nothing with the daily rules', async () =>
    expect(await sentByStart(await imported(FROM_MIDNIGHT, false), RULE_SETS.daily)).toEqual([]));
});
