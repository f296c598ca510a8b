import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { baselineWindows, type Memory, NO_MEMORY } from '../../../shared/evaluation/baseline.ts';
import { compositionOf } from '../../../shared/evaluation/baseline-making.ts';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import { CalendarWindows } from '../../../shared/time/calendar-windows.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { dayAt, MONDAY, ruleNamed, value } from '../../fixtures/builders.ts';

const calendarWindows = new CalendarWindows({ grain: 'day', zone: 'UTC' });
const KNOWN_FROM = -28;

/** The value of each day is 1000 plus its number. Nothing is known before `KNOWN_FROM`. */
const history = {
  reading({ startAt }: { startAt: number }, _: unknown, __: unknown, asked?: unknown) {
    const day = (startAt - MONDAY) / DAY_MS - (asked === 'previous' ? 1 : 0);
    return day < KNOWN_FROM ? undefined : value(1000 + day);
  },
};

const against = (compare: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  ruleNamed('sales', { compare, ...more });
const daily = against({ to: 'previous_period' });
const weekly = against({ to: 'same_weekday' });
const median = against({ median_of: '3 weeks' });

/** "-7 993 used": the day, its value and its use. */
function made(rule: FigureRule, memory: Partial<Memory> = {}, day = 0): string[] {
  const context = { history, memory: { ...NO_MEMORY, ...memory }, calendarWindows };
  return compositionOf(rule, dayAt(day), { eventName: 'purchase' }, context).map(
    ({ window, reading, use }) => {
      const of = (window.startAt - MONDAY) / DAY_MS;
      return `${of} ${reading?.value ?? '-'} ${use.kind === 'holiday' ? use.name : use.kind}`;
    },
  );
}

const incident = (from: number, to = from) => ({ startAt: dayAt(from).startAt, endAt: dayAt(to).endAt });
const fire = (day: number) => ({
  ...{ windowEndAt: dayAt(day).endAt, firstEndAt: dayAt(day).endAt },
  baseline: { ...value(777), window: dayAt(day - 1), origin: { of: 'window' as const } },
  ...{ direction: 'down' as const, gap: null },
});

describe('the composition of a baseline', () => {
  test.each([
    ['has the day before', daily, {}, ['-1 999 used']],
    ['has the week before', weekly, {}, ['-7 993 used']],
    [
      'skips a week with an incident',
      weekly,
      { incidents: [incident(-7)] },
      ['-7 993 incident', '-14 986 used'],
    ],
    [
      'has three weeks for a median, and a fourth for a skipped one',
      ...[median, { incidents: [incident(-15, -13)] }],
      ['-7 993 used', '-14 986 incident', '-21 979 used', '-28 972 used'],
    ],
    [
      'lists weeks that were not read',
      ...[median, { incidents: [incident(-28, -7)] }],
      [
        '-7 993 incident',
        '-14 986 incident',
        '-21 979 incident',
        '-28 972 incident',
        '-35 - unread',
        '-42 - unread',
        '-49 - unread',
      ],
    ],
    ['has the frozen baseline of an alert', daily, { fired: fire(-3) }, ['-4 777 frozen']],
    ['has the day before for the day that fires', daily, { fired: fire(0) }, ['-1 999 used']],
    ['skips weeks since the fire', weekly, { fired: fire(-7) }, ['-7 993 after the fire', '-14 986 used']],
    [
      'has only weeks of the accepted level',
      ...[weekly, { levelSinceAt: dayAt(-9).startAt }],
      ['-7 993 used'],
    ],
  ] as const)('%s', (_, rule, memory, wanted) => {
    expect(made(rule, memory as Partial<Memory>)).toEqual(wanted);
  });

  it('names a skipped holiday', () => {
    const rule = against({ to: 'same_weekday' }, { holidays: { days: ['2026-02-23'] } });
    expect(made(rule)).toEqual(['-7 993 2026-02-23, a day the rule names', '-14 986 used']);
  });

  it('has the windows that the evaluation uses, for any incidents', () => {
    const days = fc.array(fc.integer({ min: -60, max: -1 }), { maxLength: 6 });
    fc.assert(
      fc.property(days, fc.constantFrom(daily, weekly, median), (incidentDays, rule) => {
        const memory = { ...NO_MEMORY, incidents: incidentDays.map((day) => incident(day)) };
        const made = compositionOf(
          rule,
          dayAt(0),
          { eventName: 'purchase' },
          { history, memory, calendarWindows },
        );
        const kept = made.filter(({ use }) => use.kind === 'used' || use.kind === 'unread');
        expect(kept.map(({ window }) => window)).toEqual(
          baselineWindows(rule, dayAt(0), memory, calendarWindows),
        );
      }),
    );
  });
});
