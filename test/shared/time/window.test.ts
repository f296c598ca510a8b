import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import {
  endAfter,
  GRAINS,
  lastClosedWindow,
  minutesAfter,
  windowBefore,
  windowsBack,
  windowWeeksBefore,
} from '../../../shared/time/window.ts';

describe('the last closed window', () => {
  const at = (text: string) => Date.parse(`2026-${text}Z`);
  it.each([
    ['an hour', 'hour', 'UTC', '03-02T10:20', '03-02T09:00', '03-02T10:00'],
    ['an hour at its very end', 'hour', 'UTC', '03-02T10:00', '03-02T09:00', '03-02T10:00'],
    ['an hour in a half-hour zone', 'hour', 'Asia/Kolkata', '03-02T10:20', '03-02T08:30', '03-02T09:30'],
    ['an hour that starts at :15', 'hour', 'Asia/Kathmandu', '03-02T10:20', '03-02T09:15', '03-02T10:15'],
    ['the second of two equal hours', 'hour', 'Europe/Berlin', '10-25T02:10', '10-25T01:00', '10-25T02:00'],
    ['the hour before a skipped one', 'hour', 'Europe/Berlin', '03-29T01:30', '03-29T00:00', '03-29T01:00'],
    ['an hour, half repeated', 'hour', 'Australia/Lord_Howe', '04-04T15:40', '04-04T14:00', '04-04T15:30'],
    ['an hour, half skipped', 'hour', 'Australia/Lord_Howe', '10-03T16:10', '10-03T15:30', '10-03T16:00'],
    ['a day in Berlin', 'day', 'Europe/Berlin', '03-02T10:20', '02-28T23:00', '03-01T23:00'],
    ['the day of 23 hours', 'day', 'Europe/Berlin', '03-30T10:00', '03-28T23:00', '03-29T22:00'],
    ['the day of 25 hours', 'day', 'Europe/Berlin', '10-26T10:00', '10-24T22:00', '10-25T23:00'],
    ['a day that has no midnight', 'day', 'Africa/Cairo', '04-25T10:00', '04-23T22:00', '04-24T21:00'],
    ['a day that has two midnights', 'day', 'America/Havana', '11-02T10:00', '11-01T04:00', '11-02T05:00'],
    ['a week in which clocks change', 'week', 'Europe/Berlin', '03-30T00:00', '03-22T23:00', '03-29T22:00'],
    ['a week, from Monday', 'week', 'UTC', '03-04T00:00', '02-23T00:00', '03-02T00:00'],
    ['a month', 'month', 'America/New_York', '03-04T00:00', '02-01T05:00', '03-01T05:00'],
  ] as const)('is %s', (_name, grain, zone, now, start, end) => {
    const window = { startAt: at(start), endAt: at(end) };
    expect(lastClosedWindow(at(now), { grain, zone })).toEqual(window);
  });
});

const anyCalendar = fc.record({
  grain: fc.constantFrom(...GRAINS),
  zone: fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'America/Havana',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Africa/Cairo',
  ),
});
const anyTime = fc.oneof(
  fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2028, 0, 1) }),
  // Around the changes of the clocks.
  fc.integer({ min: Date.UTC(2026, 3, 4), max: Date.UTC(2026, 3, 6) }),
  fc.integer({ min: Date.UTC(2026, 9, 3), max: Date.UTC(2026, 9, 5) }),
  fc.integer({ min: Date.UTC(2026, 9, 29), max: Date.UTC(2026, 10, 3) }),
);

it('windows touch, never overlap, and are closed', () => {
  fc.assert(
    fc.property(anyCalendar, anyTime, (calendar, at) => {
      const window = lastClosedWindow(at, calendar);
      const before = windowBefore(window, calendar);
      expect(window.endAt).toBeLessThanOrEqual(at);
      expect(before.endAt).toBe(window.startAt);
      expect(before.startAt).toBeLessThan(before.endAt);
      expect(lastClosedWindow(window.endAt, calendar)).toEqual(window);
      expect(windowsBack(window, 1, calendar)).toEqual(before);
      expect(lastClosedWindow(window.startAt, calendar)).toEqual(before);
      expect(endAfter(before.endAt, 1, calendar)).toBe(window.endAt);
    }),
  );
});

it('windowsBack and endAfter count consecutive windows', () => {
  const count = fc.integer({ min: 0, max: 200 });
  fc.assert(
    fc.property(anyCalendar, anyTime, count, (calendar, at, most) => {
      const last = lastClosedWindow(at, calendar);
      let window = last;
      for (let i = 0; i < most; i++) window = windowBefore(window, calendar);
      expect(windowsBack(last, most, calendar)).toEqual(window);
      expect(endAfter(window.endAt, most, calendar)).toBe(last.endAt);
    }),
    { numRuns: 200, examples: [[{ grain: 'week', zone: 'America/Havana' }, Date.UTC(2026, 10, 2, 5), 0]] },
  );
});

it('endAfter counts whole hours from a time within an hour, as windows of ten minutes end there', () => {
  const count = fc.integer({ min: 1, max: 1680 });
  const minute = fc.constantFrom(5, 10, 15, 20, 40, 50, 55);
  fc.assert(
    fc.property(anyCalendar, anyTime, count, minute, ({ zone }, at, hours, minutes) => {
      const calendar = { grain: 'hour', zone } as const;
      const endAt = lastClosedWindow(at, calendar).endAt + minutes * 60_000;
      // Where clocks change by half an hour, a local hour may begin at this time.
      fc.pre(lastClosedWindow(endAt, calendar).endAt !== endAt);
      expect(endAfter(endAt, hours, calendar)).toBe(endAt + hours * 3_600_000);
    }),
    { examples: [[{ grain: 'hour', zone: 'Europe/Berlin' }, Date.UTC(2026, 2, 28, 14), 168, 10]] },
  );
});

it('windowWeeksBefore keeps the local time, and returns a valid window', () => {
  fc.assert(
    fc.property(anyCalendar, anyTime, fc.integer({ min: 1, max: 8 }), ({ grain, zone }, at, weeks) => {
      fc.pre(grain !== 'month');
      const last = lastClosedWindow(at, { grain, zone });
      const window = windowWeeksBefore(last, weeks, { grain, zone });
      expect(lastClosedWindow(window.endAt, { grain, zone })).toEqual(window);
      const start = Temporal.Instant.fromEpochMilliseconds(last.startAt).toZonedDateTimeISO(zone);
      const before = start.subtract({ days: 7 * weeks });
      expect(window.startAt).toBe(
        (grain === 'hour'
          ? before.round({ smallestUnit: 'hour', roundingMode: 'floor' })
          : start
              .toPlainDate()
              .subtract({ days: 7 * weeks })
              .toZonedDateTime(zone)
        ).epochMilliseconds,
      );
    }),
    { numRuns: 300 },
  );
});

it.each([
  ['within a day', 90, '2026-03-01T01:30:00.000Z'],
  ['across days', 2 * 1440 + 90, '2026-03-03T01:30:00.000Z'],
])('minutesAfter adds minutes %s to midnight', (_, minutes, time) => {
  expect(new Date(minutesAfter(Date.UTC(2026, 2, 1), minutes, 'UTC')).toISOString()).toBe(time);
});
