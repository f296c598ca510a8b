import { describe, expect, test } from 'vitest';
import {
  afterRuns,
  type EvaluatedRun,
  isDue,
  newlyDeployed,
  type Unmatched,
  unmatchedSince,
} from '../../../shared/alerts/matches-nothing.ts';
import { isAtRest } from '../../../shared/alerts/open-alert.ts';
import { endRemovedRule } from '../../../shared/deployments/removed-rules.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { alertOf, dayAt, ROUTES, ruleNamed } from '../../fixtures/builders.ts';

const daily = ruleNamed('daily');
const hourly = ruleNamed('hourly', { every: 'hour at :10' });
const DEPLOYED = newlyDeployed(dayAt(0).startAt);

/** One letter per day: `.` no value, `v` a value, `o` no value and evaluated days late, `a` a value read again. */
function evaluatedRuns(days: string, from = 0): EvaluatedRun[] {
  return [...days].map((day, i) => {
    const window = dayAt(from + i);
    return {
      window,
      hasValue: day === 'v' || day === 'a',
      at: window.endAt + (day === 'o' ? 5 * DAY_MS : HOUR_MS),
      isAgain: day === 'a',
    };
  });
}

const streak = (day: number, windows: number, more: Partial<Unmatched> = {}): Unmatched => ({
  ...{ sinceAt: dayAt(day).startAt, windows, isNew: false, notified: false },
  ...more,
});

describe('a rule with and without values', () => {
  const NEW = { isNew: true };
  test.each<[string, Unmatched | null, string, Unmatched | null]>([
    ['is new until its first value', DEPLOYED, '...', streak(0, 3, NEW)],
    ['has matched once it has a value', DEPLOYED, '..v', null],
    ['is not new in its next streak', DEPLOYED, '.v..', streak(2, 2)],
    ['begins a streak with the first window without a value', null, 'vv..', streak(2, 2)],
    ['continues its streak in the next run', streak(0, 4), '...', streak(0, 7)],
    ['does not count windows that were evaluated late', DEPLOYED, '.oo.', streak(0, 2, NEW)],
    ['has matched when late data brings a value', streak(0, 4, { notified: true }), '.a', null],
    [
      'stays notified while it has no value',
      streak(0, 7, { notified: true }),
      '.',
      streak(0, 8, { notified: true }),
    ],
    ['is unchanged when nothing was evaluated', DEPLOYED, '', DEPLOYED],
  ])('%s', (_name, before, days, after) => {
    expect(afterRuns(before, evaluatedRuns(days), daily)).toEqual(after);
  });
});

describe('the owner of a rule without values', () => {
  const rise = { fire: { change: { above: '50%' } } };
  const either = { fire: { change: { above: '50%', below: '-50%' } } };
  test.each([
    ['about a daily rule after a week', daily, 7],
    ['about an hourly rule after three days', hourly, 72],
    [
      'about a weekly rule after three weeks',
      ruleNamed('w', { every: 'monday at 07:00', window: 'week' }),
      3,
    ],
    [
      'about a monthly rule after two months',
      ruleNamed('m', { every: 'month at 07:00', window: 'month' }),
      2,
    ],
    ['about a rule that only fires on a rise after 30 days', ruleNamed('r', rise), 30],
    ['about a rule without bounds after a week', ruleNamed('s', { anomaly: true, fire: undefined }), 7],
    ['about a rule that fires on either side after a week', ruleNamed('e', either), 7],
  ])('is notified %s', (_name, rule, windows) => {
    const isNotified = (count: number) => isDue(streak(0, count, { isNew: true }), rule);
    expect([isNotified(windows - 1), isNotified(windows)]).toEqual([false, true]);
  });

  test.each<[string, Unmatched | null]>([
    ['that has values', null],
    ['that had values', streak(0, 100)],
    ['that they were notified about', streak(0, 100, { isNew: true, notified: true })],
  ])('is not notified about a rule %s', (_name, unmatched) => {
    expect(isDue(unmatched, daily)).toBe(false);
  });
});

describe('a rule matches nothing', () => {
  const at = (days: number) => dayAt(days).startAt;
  test.each<[string, Unmatched | null, number, number | undefined]>([
    ['not while it has values', null, 50, undefined],
    ['not yet after 29 days', streak(0, 29), 29, undefined],
    ['after 30 days without a value', streak(0, 30), 30, at(0)],
    ['once its owner was notified', streak(0, 7, { isNew: true, notified: true }), 7, at(0)],
    ['not before that while it is new', streak(0, 7, { isNew: true }), 7, undefined],
  ])('%s', (_name, unmatched, day, since) => {
    expect(unmatchedSince(unmatched, at(day))).toBe(since);
  });
});

test('the removal of a rule ends its streak without values', () => {
  const notified = alertOf(daily, { unmatched: streak(0, 7, { isNew: true, notified: true }) });
  const ended = endRemovedRule(notified, ROUTES, dayAt(8).startAt);
  expect([isAtRest(notified), isAtRest(ended)]).toEqual([false, true]);
  expect(endRemovedRule(ended, ROUTES, dayAt(9).startAt)).toBe(ended);
});
