import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { CalendarWindows } from '../../../shared/time/calendar-windows.ts';
import { lastClosedWindow, windowBefore, windowWeeksBefore } from '../../../shared/time/window.ts';
import { ZoneClock } from '../../../shared/time/zone-clock.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';

/** Zones with half-hour daylight saving, quarter-hour offsets, a skipped day, and no changes. */
const ZONES = [
  ...['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'],
  ...['Pacific/Apia', 'America/Sao_Paulo', 'Asia/Tehran', 'UTC'],
];

/** Any time. `nearChange` moves it close to a clock change. */
const instants = fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2036, 0) });
const zones = fc.constantFrom(...ZONES);

function nearChange(at: number, zone: string): number {
  const time = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
  const change = time.getTimeZoneTransition('next')?.epochMilliseconds ?? at;
  return change + ((at % (3 * DAY_MS)) - DAY_MS);
}

test.each(['hour', 'day'] as const)('the slot of a %s is its place in the local week', (grain) => {
  fc.assert(
    fc.property(instants, zones, fc.boolean(), (any, zone, isNear) => {
      const window = lastClosedWindow(isNear ? nearChange(any, zone) : any, { grain, zone });
      const start = Temporal.Instant.fromEpochMilliseconds(window.startAt).toZonedDateTimeISO(zone);
      const day = start.dayOfWeek - 1;
      const { slot } = new CalendarWindows({ grain, zone }).slotOf(window);
      expect(slot).toBe(grain === 'hour' ? day * 24 + start.hour : day);
    }),
  );
});

test('CalendarWindows tell the windows of different weeks apart', () => {
  const calendar = { grain: 'hour', zone: 'Europe/Berlin' } as const;
  const [windows, last] = [new CalendarWindows(calendar), lastClosedWindow(Date.UTC(2026, 3, 20), calendar)];
  for (const window of windows.through(last, 200))
    for (let weeks = 1; weeks <= 6; weeks++)
      expect(windows.weeksBefore(window, weeks)).toEqual(windowWeeksBefore(window, weeks, calendar));
  expect(windows.through(windows.after(last), 3)).toEqual([
    windowBefore(last, calendar),
    last,
    windows.after(last),
  ]);
});

test('ZoneClock matches Temporal', () => {
  const clocks = new Map(ZONES.map((zone) => [zone, new ZoneClock(zone)]));
  fc.assert(
    fc.property(instants, zones, fc.boolean(), (any, zone, isNear) => {
      const clock = clocks.get(zone) ?? new ZoneClock(zone);
      const at = isNear ? nearChange(any, zone) : any;
      const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDateTime();
      const asUtc = local.toZonedDateTime('UTC').epochMilliseconds;
      const instantOf = (disambiguation: 'compatible' | 'later') =>
        local.toZonedDateTime(zone, { disambiguation }).epochMilliseconds;
      expect(clock.localOf(at)).toBe(asUtc);
      expect(clock.instantOf(asUtc)).toBe(instantOf('compatible'));
      expect(clock.laterInstantOf(asUtc)).toBe(instantOf('later'));
    }),
    { numRuns: 500 },
  );
});

describe('ZoneClock moves a skipped local time forward', () => {
  test.each([
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00Z'],
    ['Australia/Lord_Howe', '2026-10-04T02:10', '2026-10-03T15:40:00Z'],
  ])('%s %s', (zone, local, instant) => {
    const clock = new ZoneClock(zone);
    expect(clock.instantOf(Date.parse(`${local}Z`))).toBe(Date.parse(instant));
  });
});

test('a day of 25 hours has a larger exposure than one of 24', () => {
  const calendarWindows = new CalendarWindows({ grain: 'day', zone: 'Europe/Berlin' });
  const startAt = Date.parse('2026-10-25T00:00:00+02:00');
  expect(calendarWindows.slotOf({ startAt, endAt: startAt + 25 * HOUR_MS })).toEqual({
    slot: 6,
    exposure: 25 / 24,
    day: Date.UTC(2026, 9, 25) / (24 * HOUR_MS),
  });
});
