import { expect, test } from 'vitest';
import { begunRuns } from '../../local/system.ts';
import { DAY_MS, HOUR_MS } from '../../shared/units/durations.ts';
import { MONDAY, ruleNamed } from '../fixtures/builders.ts';

const daily = ruleNamed('daily', { every: 'day at 07:00' });
const elsewhere = ruleNamed('elsewhere', { every: 'day at 07:00', app: 'other' });
const span = { after: MONDAY, through: MONDAY + 5 * DAY_MS };

/** Each run as its day and the rules that it evaluates. */
function runsOf(begins: Record<string, number | undefined>) {
  const rules = [daily, elsewhere];
  return [...begunRuns(rules, span, (app) => begins[app])].map(({ at, isAsked }) => {
    const ids = rules.filter(isAsked).map(({ id }) => id);
    return `${(at - 7 * HOUR_MS - MONDAY) / DAY_MS}: ${ids.join(' ')}`;
  });
}

test('begunRuns includes an app from the run of its first window', () => {
  // Earlier runs would evaluate days before the app has data.
  expect(runsOf({ demo: MONDAY + 2 * DAY_MS + HOUR_MS, other: MONDAY + 3 * DAY_MS })).toEqual([
    '3: daily',
    '4: daily elsewhere',
  ]);
});

test('begunRuns includes an app with an unknown start in every run', () => {
  expect(runsOf({ demo: undefined, other: Infinity })).toEqual([0, 1, 2, 3, 4].map((day) => `${day}: daily`));
});
