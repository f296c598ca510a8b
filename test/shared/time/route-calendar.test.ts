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
    [
      'a Friday night, which the weekend extends until Monday',
      '2026-03-06T20:00Z',
      '2026-03-08T23:00:00.000Z',
    ],
    ['the hour that the clocks leave out in March', '2026-03-29T01:30Z', '2026-03-29T22:00:00.000Z'],
    ['the hour that they show twice in October', '2026-10-25T00:30Z', '2026-10-25T23:00:00.000Z'],
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

describe('a span on the night in which clocks change', () => {
  const during = (from: string, to: string) =>
    routeCalendarSchema.parse({ zone: 'Europe/Berlin', weekly: [{ days: ['sun'], from, to }] });

  it.each([
    [
      'begins when the clocks skip its start',
      '02:30',
      '05:00',
      '2026-03-29T01:00Z',
      '2026-03-29T03:00:00.000Z',
    ],
    ['ends when the clocks skip its end', '01:00', '02:30', '2026-03-29T00:30Z', '2026-03-29T01:00:00.000Z'],
    [
      'lasts through both occurrences of 02:15',
      '02:10',
      '02:20',
      '2026-10-25T00:15Z',
      '2026-10-25T01:20:00.000Z',
    ],
    [
      'ends at the first occurrence of a repeated time',
      '00:30',
      '02:00',
      '2026-10-24T23:00Z',
      '2026-10-25T00:00:00.000Z',
    ],
  ])('%s', (_name, from, to, time, ended) => {
    expect(iso(until(during(from, to), at(time)))).toBe(ended);
  });

  it('begins exactly when the clocks go forward', () => {
    expect(until(during('02:00', '05:00'), at('2026-03-29T00:59Z'))).toBe(null);
    expect(iso(until(during('02:00', '05:00'), at('2026-03-29T01:00Z')))).toBe('2026-03-29T03:00:00.000Z');
  });
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

/** Reference: the covered minutes by local clock time, from the first at or past `from` to the last before `to`. */
function coveredMinutes(calendar: typeof nights, fromAt: number, throughAt: number): Set<number> {
  const minutes: { time: number; local: string }[] = [];
  for (let time = fromAt - 2 * DAY_MS; time <= throughAt + DAY_MS; time += MINUTE_MS) {
    const local = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(calendar.zone);
    minutes.push({ time, local: local.toPlainDateTime().toString({ smallestUnit: 'minute' }) });
  }
  const first = Temporal.PlainDate.from((minutes[0]?.local ?? '').slice(0, 10));
  const covered = new Set<number>();
  for (let day = 1; day <= minutes.length / 1440; day++) {
    const date = first.add({ days: day });
    for (const { days, from = '00:00', to = '00:00' } of calendar.weekly) {
      if (!days.some((words) => isAmongDays(date.dayOfWeek, words))) continue;
      const start = `${date}T${from}`;
      const end = `${from < to ? date : date.add({ days: 1 })}T${to}`;
      const begins = minutes.findIndex(({ local }) => local >= start);
      const ends = minutes.findLastIndex(({ local }) => local < end);
      if (begins < 0) continue;
      for (const { time } of minutes.slice(begins, ends + 1)) covered.add(time);
    }
  }
  return covered;
}

test('coveredUntil matches the local clock minute by minute around clock changes', () => {
  const time = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 15, 30, 59))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
  const span = fc.record({
    days: fc.subarray(['mon', 'sat', 'sun', 'fri-mon'], { minLength: 1 }),
    from: time,
    to: time,
  });
  const calendars = fc.record({
    zone: fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo'),
    weekly: fc.array(span, { minLength: 1, maxLength: 3 }),
  });
  const changes = ['2026-03-29', '2026-10-25', '2026-03-08', '2026-11-01', '2026-04-05', '2026-04-24'];
  fc.assert(
    fc.property(calendars, fc.constantFrom(...changes), (given, date) => {
      const parsed = routeCalendarSchema.safeParse(given);
      fc.pre(parsed.success);
      const calendar = routeCalendarSchema.parse(given);
      const fromAt = at(`${date}T00:00Z`) - DAY_MS / 2;
      const covered = coveredMinutes(calendar, fromAt, fromAt + 1.5 * DAY_MS);
      for (let minute = fromAt; minute < fromAt + 1.5 * DAY_MS; minute += 15 * MINUTE_MS) {
        const endAt = until(calendar, minute);
        expect(endAt !== null, `${iso(minute)} in ${calendar.zone}`).toBe(covered.has(minute));
        if (endAt !== null && endAt < fromAt + 1.5 * DAY_MS)
          expect([covered.has(endAt - MINUTE_MS), covered.has(endAt)]).toEqual([true, false]);
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
