import { describe, expect, test } from 'vitest';
import {
  calendarRows,
  dateOf,
  dayOfDate,
  type IncidentDays,
  incidentDays,
} from '../../../../functions/respond/page/calendar.ts';
import { weeksOf } from '../../../../functions/respond/page/timeline-view.ts';
import { DAY_MS, HOUR_MS } from '../../../../shared/units/durations.ts';
import { alertOf, dayAt, MONDAY, ruleNamed } from '../../../fixtures/builders.ts';

const orders = ruleNamed('orders');
const berlin = ruleNamed('berlin', { zone: 'Europe/Berlin' });
const parts = ruleNamed('parts', { group_by: 'device_country' });
const byId = new Map([orders, berlin, parts].map((rule) => [rule.id, rule]));
const NOW = MONDAY + 3 * DAY_MS + HOUR_MS;
const FIRST_DAY = MONDAY / DAY_MS;

const spans = (days: IncidentDays[]) =>
  days.map(({ from, to, isOpen }) => [from - FIRST_DAY, to - FIRST_DAY, isOpen]);

describe('the days of an incident', () => {
  test('are both included, and an open one lasts until now', () => {
    const alert = alertOf(orders, {
      state: 'firing',
      incidents: [dayAt(-5), { startAt: MONDAY, endAt: MONDAY + DAY_MS }],
    });
    expect(spans(incidentDays([alert], byId, NOW))).toEqual([
      [-5, -5, false],
      [0, 3, true],
    ]);
  });

  test('are those of the zone of the rule', () => {
    const inBerlin = { startAt: MONDAY - HOUR_MS, endAt: MONDAY + DAY_MS - HOUR_MS };
    expect(spans(incidentDays([alertOf(berlin, { incidents: [inBerlin] })], byId, NOW))).toEqual([
      [0, 0, false],
    ]);
    expect(spans(incidentDays([alertOf(orders, { incidents: [inBerlin] })], byId, NOW))).toEqual([
      [-1, 0, false],
    ]);
  });

  test('include a level that was rebaselined', () => {
    const level = { levelSinceAt: dayAt(-9).startAt, levelAcceptedAt: dayAt(-3).endAt };
    expect(spans(incidentDays([alertOf(orders, level)], byId, NOW))).toEqual([[-9, -3, false]]);
  });

  test('leave out removed rules, and the total of a rule with segments', () => {
    const incidents = [dayAt(0)];
    const alerts = [alertOf(ruleNamed('gone'), { incidents }), alertOf(parts, { incidents })];
    expect(incidentDays(alerts, byId, NOW)).toEqual([]);
    expect(incidentDays([alertOf(parts, { segment: '', incidents })], byId, NOW)).toHaveLength(1);
  });
});

describe('the rows of the calendar', () => {
  const days = (rule: typeof orders, from: number, to: number, segment: string | null = null) => ({
    ...{ rule, key: { ruleId: rule.id, segment }, isOpen: false },
    ...{ from: FIRST_DAY + from, to: FIRST_DAY + to },
  });
  const range = { first: FIRST_DAY, last: FIRST_DAY + 10 };

  test('join days that follow one another, and name each alert once', () => {
    const fired = [
      days(parts, 1, 4, 'DE'),
      days(parts, 5, 5, 'FR'),
      days(parts, 3, 3, 'DE'),
      days(parts, 7, 7, 'FR'),
    ];
    const [row] = calendarRows(fired, range);
    const shown = row?.bars.map(({ from, to, keys }) => [
      from - FIRST_DAY,
      to - FIRST_DAY,
      keys.map((key) => key.segment),
    ]);
    expect(shown).toEqual([
      [1, 5, ['DE', 'FR']],
      [7, 7, ['FR']],
    ]);
  });

  test('are cut to the shown days, and rules without a shown day are left out', () => {
    const rows = calendarRows([days(orders, -5, 2), days(berlin, -5, -1), days(parts, 9, 30, 'DE')], range);
    expect(
      rows.map(({ rule, bars }) => [
        rule.id,
        ...bars.map(({ from, to }) => `${from - FIRST_DAY}-${to - FIRST_DAY}`),
      ]),
    ).toEqual([
      ['parts', '9-10'],
      ['orders', '0-2'],
    ]);
  });
});

test('weeks begin on Monday', () => {
  const weeks = weeksOf({ first: FIRST_DAY - 2, last: FIRST_DAY + 8 });
  expect(weeks.map(({ first, last }) => [first - FIRST_DAY, last - FIRST_DAY])).toEqual([
    [-2, -1],
    [0, 6],
    [7, 8],
  ]);
});

test.each([
  ['2026-03-02', FIRST_DAY],
  ['2026-3-2', undefined],
  ['2026-13-40', undefined],
  [undefined, undefined],
])('the day of the date %s', (date, day) => {
  expect(dayOfDate(date)).toBe(day);
  if (day !== undefined) expect(dateOf(day)).toBe(date);
});
