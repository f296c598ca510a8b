import { expect, it } from 'vitest';
import { isOldEnough } from '../../../shared/evaluation/evidence.ts';
import { CalendarWindows } from '../../../shared/time/calendar-windows.ts';
import { windowEnding } from '../../../shared/time/window.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

it.each([
  ['Europe/Berlin', '2026-03-12T00:00+01:00', '2026-03-20T00:00+01:00'],
  ['Europe/Berlin', '2026-03-26T00:00+01:00', '2026-04-03T00:00+02:00'],
  ['Europe/Berlin', '2026-10-22T00:00+02:00', '2026-10-30T00:00+01:00'],
  // Clocks go from midnight to one o'clock, when this day begins.
  ['Africa/Cairo', '2026-04-24T01:00+03:00', '2026-05-02T00:00+03:00'],
])(
  'a segment in %s known since %s waits for 7 days, until the window that ends at %s',
  (zone, sinceAt, endAt) => {
    const calendar = { grain: 'day', zone } as const;
    const rule = ruleNamed('r', {
      zone,
      group_by: 'device_country',
      new_segments: '7 days',
      compare: { to: 'same_weekday' },
    });
    const calendarWindows = new CalendarWindows(calendar);
    const first = windowEnding(Date.parse(endAt), calendar);
    const isEvaluated = (window: typeof first) =>
      isOldEnough(rule, window, Date.parse(sinceAt), calendarWindows);
    expect(isEvaluated(first)).toBe(true);
    expect(isEvaluated(calendarWindows.before(first))).toBe(false);
  },
);
