import { describe, expect, it } from 'vitest';
import { plannedRuns } from '../../../shared/planning/planned-runs.ts';
import { MAX_CATCH_UP } from '../../../shared/time/cadence.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { dayAt, MONDAY, ruleNamed } from '../../fixtures/builders.ts';

describe('plannedRuns', () => {
  const runsOf = (overrides: Record<string, unknown>, after: number, count: number) =>
    plannedRuns(ruleNamed('a', overrides), after, count);

  it('evaluates the weekend on Monday for a weekday cadence', () => {
    const friday = MONDAY + 4 * DAY_MS + 9 * HOUR_MS;
    const days = { every: 'weekday at 09:00' };
    expect(runsOf(days, friday, 2)).toEqual([
      { at: friday + 3 * DAY_MS, windows: [dayAt(4), dayAt(5), dayAt(6)] },
      { at: friday + 4 * DAY_MS, windows: [dayAt(7)] },
    ]);
    const [monday, tuesday] = runsOf({ ...days, window: 'hour' }, friday, 2);
    expect([monday?.windows.length, tuesday?.windows.length]).toEqual([72, 24]);
  });

  it('evaluates the extra hour of an autumn weekend too', () => {
    const friday = Date.parse('2026-10-23T09:00:00+02:00');
    const overrides = { every: 'weekday at 09:00', window: 'hour', zone: 'Europe/Berlin' };
    const [monday] = runsOf(overrides, friday, 1);
    expect(monday?.windows).toHaveLength(MAX_CATCH_UP);
    expect(monday?.windows[0]?.startAt).toBe(friday - HOUR_MS);
  });

  it('evaluates nothing until a window has settled', () => {
    const runs = runsOf({ every: '30 minutes', window: 'hour' }, MONDAY, 4);
    expect(runs.map(({ windows }) => windows.length)).toEqual([1, 0, 1, 0]);
  });
});
