import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it, test } from 'vitest';
import {
  coveredSpans,
  coveredUntil,
  coveringAt,
  isAmongDays,
  lastCoveredUntil,
  type RouteCalendar,
  routeCalendarSchema,
} from '../../../shared/time/route-calendar.ts';
import { DAY_MS, MINUTE_MS } from '../../../shared/units/durations.ts';

const at = (text: string) => Date.parse(text);
const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());

const until = (calendar: RouteCalendar, time: number) => coveredUntil('own', { own: calendar }, time);
const lastUntil = (calendar: RouteCalendar, fromAt: number, throughAt: number) =>
  lastCoveredUntil('own', { own: calendar }, { fromAt, throughAt });

const nights = routeCalendarSchema.parse({
  zone: 'Europe/Berlin',
  weekly: [{ days: ['mon-fri'], from: '20:00', to: '08:00' }, { days: ['sat', 'sun'] }],
});

describe('nights and weekends', () => {
  test.each([
    ['a Tuesday noon', '2026-03-03T11:00Z', null],
    ['a Tuesday at 20:00, to the minute', '2026-03-03T19:00Z', '2026-03-04T07:00:00.000Z'],
    ['the minute before', '2026-03-03T18:59Z', null],
    ['a Wednesday at 08:00, when it is over', '2026-03-04T07:00Z', null],
    ['after midnight', '2026-03-04T02:00Z', '2026-03-04T07:00:00.000Z'],
    ['a Friday night, with the weekend', '2026-03-06T20:00Z', '2026-03-08T23:00:00.000Z'],
  ])('at %s', (_name, time, ended) => {
    expect(iso(until(nights, at(time)))).toBe(ended);
  });

  test('lastCoveredUntil returns the end of the last span within a range', () => {
    expect(iso(lastUntil(nights, at('2026-03-03T20:00Z'), at('2026-03-04T09:00Z')))).toBe(
      '2026-03-04T07:00:00.000Z',
    );
    expect(lastUntil(nights, at('2026-03-04T07:00Z'), at('2026-03-04T09:00Z'))).toBe(null);
    // The end of the Friday night is in the weekend.
    expect(iso(lastUntil(nights, at('2026-03-06T20:00Z'), at('2026-03-09T12:00Z')))).toBe(
      '2026-03-08T23:00:00.000Z',
    );
  });
});

test.each([
  ['begins later when the clocks skip its start', '02:30', '05:00', '2026-03-29T01:30Z', '2026-03-29T03:00'],
  ['ends later when the clocks skip its end', '01:00', '02:30', '2026-03-29T00:30Z', '2026-03-29T01:30'],
  ['covers the first of two equal times', '02:10', '02:20', '2026-10-25T00:15Z', '2026-10-25T00:20'],
])('a span on the night in which clocks change %s', (_name, from, to, time, ended) => {
  const calendar = { zone: 'Europe/Berlin', weekly: [{ days: ['sun'], from, to }] };
  expect(iso(until(routeCalendarSchema.parse(calendar), at(time)))).toBe(`${ended}:00.000Z`);
});

test('holidays are covered from midnight to midnight, regional ones too', () => {
  const calendar = routeCalendarSchema.parse({
    zone: 'Europe/Berlin',
    holidays: { country: 'DE', region: 'BY', days: ['2026-12-24'] },
  });
  expect(iso(until(calendar, at('2026-01-06T12:00Z')))).toBe('2026-01-06T23:00:00.000Z');
  expect(iso(until(calendar, at('2026-12-23T23:00Z')))).toBe('2026-12-26T23:00:00.000Z');
  expect(until(calendar, at('2026-01-07T12:00Z'))).toBe(null);
});

/** Reference: whether the local time of a minute is in a span that starts on its day or the day before. */
function isCovered({ weekly, zone }: RouteCalendar, time: number): boolean {
  const local = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone).toPlainDateTime();
  const now = local.toString({ smallestUnit: 'minute' });
  return [0, 1].some((daysAgo) => {
    const date = local.toPlainDate().subtract({ days: daysAgo });
    return weekly.some(({ days, from = '00:00', to = '00:00' }) => {
      const end = `${from < to ? date : date.add({ days: 1 })}T${to}`;
      return (
        days.some((words) => isAmongDays(date.dayOfWeek, words)) && `${date}T${from}` <= now && now < end
      );
    });
  });
}

test('coveredUntil matches the local clock minute by minute', () => {
  const time = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 15, 30, 59))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
  const days = fc.subarray(['mon', 'sat', 'sun', 'fri-mon'], { minLength: 1 });
  const calendars = fc.record({
    zone: fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'),
    weekly: fc.array(fc.record({ days, from: time, to: time }), { minLength: 1, maxLength: 3 }),
  });
  fc.assert(
    fc.property(calendars, (given) => {
      const parsed = routeCalendarSchema.safeParse(given);
      fc.pre(parsed.success);
      const calendar = routeCalendarSchema.parse(given);
      const fromAt = at('2026-05-01T12:00Z');
      for (let minute = fromAt; minute < fromAt + 4 * DAY_MS; minute += 15 * MINUTE_MS) {
        const endAt = until(calendar, minute);
        expect(endAt !== null, `${iso(minute)} in ${calendar.zone}`).toBe(isCovered(calendar, minute));
        if (endAt !== null && endAt < minute + 7 * DAY_MS)
          expect([isCovered(calendar, endAt - MINUTE_MS), isCovered(calendar, endAt)]).toEqual([true, false]);
      }
    }),
    { numRuns: 8 },
  );
});

describe('a calendar that leaves out others', () => {
  const parsed = (calendars: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(calendars).map(([name, given]) => [name, routeCalendarSchema.parse(given)]),
    );
  const berlin = { zone: 'Europe/Berlin' };
  const calendars = parsed({
    'working-hours': {
      ...berlin,
      weekly: [{ days: ['mon-fri'], from: '09:00', to: '18:00' }],
      except: ['holidays', 'lunch'],
    },
    holidays: { ...berlin, holidays: { country: 'DE' }, except: 'bridge-week' },
    lunch: { ...berlin, weekly: [{ days: ['wed'], from: '12:00', to: '13:00' }] },
    // Works on the holidays of this week.
    'bridge-week': { ...berlin, holidays: { days: ['2026-05-14'] } },
  });
  const spansOn = (day: string) =>
    coveredSpans('working-hours', calendars, {
      startAt: at(`${day}T00:00Z`),
      endAt: at(`${day}T00:00Z`) + DAY_MS,
    }).map(({ startAt, endAt }) => `${iso(startAt)?.slice(11, 16)}-${iso(endAt)?.slice(11, 16)}`);

  it.each([
    ['covers a working day', '2026-03-03', ['08:00-17:00']],
    ['is split by an exception within a span', '2026-03-04', ['08:00-11:00', '12:00-17:00']],
    ['does not cover a holiday', '2026-05-01', []],
    ['covers a holiday that its exception leaves out', '2026-05-14', ['07:00-16:00']],
  ])('%s', (_name, day, spans) => {
    expect(spansOn(day)).toEqual(spans);
  });

  it('ends where the exception begins', () => {
    const noon = at('2026-03-04T10:30Z');
    expect(iso(coveredUntil('working-hours', calendars, noon))).toBe('2026-03-04T11:00:00.000Z');
    expect(coveringAt(calendars, noon)).toEqual(new Set(['working-hours']));
    expect(coveringAt(calendars, noon + DAY_MS / 48)).toEqual(new Set(['lunch']));
    const all = { fromAt: noon, throughAt: noon + DAY_MS / 24 };
    expect(iso(lastCoveredUntil('working-hours', calendars, all))).toBe('2026-03-04T11:00:00.000Z');
  });
});

test.each([
  ['mon-fri', [1, 2, 3, 4, 5]],
  ['fri-mon', [1, 5, 6, 7]],
  ['sat-sun', [6, 7]],
  ['wed', [3]],
] as const)('%s means the ISO weekdays %j', (words, days) => {
  expect([1, 2, 3, 4, 5, 6, 7].filter((day) => isAmongDays(day, words))).toEqual(days);
});
