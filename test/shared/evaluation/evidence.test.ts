import { describe, expect, it } from 'vitest';
import { NO_MEMORY } from '../../../shared/evaluation/baseline.ts';
import { evidenceFor, historyRanges } from '../../../shared/evaluation/evidence.ts';
import { CalendarWindows } from '../../../shared/time/calendar-windows.ts';
import type { Window } from '../../../shared/time/window.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { MONDAY, ruleNamed, value } from '../../fixtures/builders.ts';

const NONE: Window[] = [];

/** How far back, in days, the baseline and its own baseline are, from no other readings than those asked for. */
function baselinesOf(given: Record<string, unknown>, incidents = NONE) {
  const rule = ruleNamed('sales', given);
  const span = rule.window === 'hour' ? HOUR_MS : DAY_MS;
  const calendarWindows = new CalendarWindows({ grain: rule.window, zone: 'UTC' });
  const window = { startAt: MONDAY, endAt: MONDAY + span };
  const memory = { ...NO_MEMORY, incidents };
  const ranges = historyRanges(rule, [window], [memory], calendarWindows);
  const history = {
    reading: ({ endAt }: Window) =>
      ranges.some((range) => range.fromEndAt <= endAt && endAt <= range.throughEndAt)
        ? value(1000)
        : undefined,
  };
  const context = { history, memory, calendarWindows, newestDataAt: MONDAY + DAY_MS };
  const pair = evidenceFor(rule, window, { eventName: 'purchase' }, context)?.baselinePair;
  return pair && [pair.current, pair.baseline].map((each) => (MONDAY - each.window.startAt) / DAY_MS);
}

describe('the baseline and its own baseline', () => {
  it.each([
    { every: 'day at 07:00', compare: { to: 'same_weekday' }, are: [7, 14] },
    { every: 'day at 07:00', compare: { to: 'previous_period' }, are: [1, 2] },
    { every: 'hour', compare: { to: 'same_weekday' }, are: [7, 14] },
    { every: 'hour', compare: { to: 'previous_period' }, are: [1 / 24, 2 / 24] },
  ])('of $every against $compare.to are $are days back', ({ are, ...rule }) => {
    expect(baselinesOf(rule)).toEqual(are);
  });

  it('leave out incidents', () => {
    const weekly = { compare: { to: 'same_weekday' } };
    const incident = { startAt: MONDAY - 14 * DAY_MS, endAt: MONDAY - 13 * DAY_MS };
    expect(baselinesOf(weekly, [incident])).toEqual([7, 21]);
  });

  it('do not exist for a median of weeks, which one unusual week hardly moves', () => {
    expect(baselinesOf({ compare: { median_of: '3 weeks' } })).toBeUndefined();
  });
});
