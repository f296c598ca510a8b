import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bandRange, expectedBands } from '../../../shared/alerts/expected-band.ts';
import { memoryAt } from '../../../shared/alerts/lifecycle.ts';
import { evidenceFor } from '../../../shared/evaluation/evidence.ts';
import { bandAround } from '../../../shared/evaluation/expected-limits.ts';
import type { Fired } from '../../../shared/evaluation/fired.ts';
import type { Readings } from '../../../shared/readings/history.ts';
import { type Bounds, isOutside } from '../../../shared/rules/bounds.ts';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import { CalendarWindows } from '../../../shared/time/calendar-windows.ts';
import type { Window } from '../../../shared/time/window.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { alertOf, dayAt, evaluationOf, mean, ruleNamed, value } from '../../fixtures/builders.ts';
import { noise } from '../../fixtures/noise.ts';

const SERIES = { eventName: 'purchase' };
const DAILY = new CalendarWindows({ grain: 'day', zone: 'UTC' });

/** The value of each day, by days since the first; `undefined` for a day that was not queried. */
type Figures = (day: number) => number | undefined;

function historyOf(figures: Figures, reading = value): Readings {
  const first = dayAt(0).startAt;
  return {
    reading({ startAt }, _, __, asked) {
      const figure = figures(Math.round((startAt - first) / DAY_MS) - (asked === 'previous' ? 1 : 0));
      return figure === undefined ? undefined : reading(figure);
    },
  };
}

function bandsOf(rule: FigureRule, days: number[], figures: Figures, alert = alertOf(rule)) {
  const past = { history: historyOf(figures), alert, calendarWindows: DAILY };
  return expectedBands(
    rule,
    days.map((day) => dayAt(day)),
    SERIES,
    past,
  );
}

const span = (from: number, to: number): Window => ({
  startAt: dayAt(from).startAt,
  endAt: dayAt(to).endAt,
});
/** A daily rule with these bounds that compares with the day before. */
const daily = (fire: Bounds | undefined, others: Record<string, unknown> = {}): FigureRule => ({
  ...ruleNamed('band', { anomaly: true, ...others }),
  anomaly: undefined,
  ...others,
  fire,
});
const ANOMALY = { fire: undefined, compare: undefined, anomaly: true };

describe('the band around an expected value of 100', () => {
  test.each<[string, Bounds, number | null, number | null]>([
    ['a change down', { change: { below: -0.3 } }, 70, null],
    ['a change up', { change: { above: 0.5 } }, null, 150],
    ['both', { change: { above: 0.5, below: -0.3 } }, 70, 150],
    ['a difference', { difference: { above: 20, below: -10 } }, 90, 120],
    ['a fall larger than the baseline', { difference: { below: -200 } }, null, null],
    [
      'a change and a difference: both must be exceeded',
      { change: { below: -0.3 }, difference: { below: -50 } },
      50,
      null,
    ],
    ['a change and a level to rise above', { change: { above: 0.5 }, current: { above: 180 } }, null, 180],
    [
      'a change down, and a level to stay above',
      { change: { below: -0.3 }, current: { above: 60 } },
      70,
      null,
    ],
    ['a required growth', { change: { below: 0.05 } }, 105, null],
  ])('%s', (_, fire, low, high) => {
    const band = bandAround(daily(fire), 100, null);
    expect(band.expected).toBe(100);
    expect([band.low ?? -1, band.high ?? -1]).toEqual([
      expect.closeTo(low ?? -1),
      expect.closeTo(high ?? -1),
    ]);
  });

  test('has only the bounds of a plain threshold, also below 0', () => {
    const rule = daily({ current: { above: 180, below: -20 } });
    expect(bandsOf(rule, [1, 2], () => 100)).toEqual(Array(2).fill({ expected: null, low: -20, high: 180 }));
  });

  test('is the value of the version that the alert was compared with, without limits', () => {
    const rule = ruleNamed('releases', {
      ...{ metric: 'rage_gestures_per_session', group_by: 'app_version', compare: undefined },
      fire: { change: { above: '50%' } },
    });
    const history: Readings = { reading: (_, { segment }) => mean(segment === '5.1.0' ? 0.2 : 0.6, 500) };
    const origin = { of: 'segments' as const, segment: '5.1.0' };
    const last = evaluationOf(2, { baseline: { ...mean(0.2, 500), window: dayAt(2), origin } });
    const bandOfDay = (alert = alertOf(rule, { last })) =>
      expectedBands(rule, [dayAt(2)], { segment: '5.2.0' }, { history, alert, calendarWindows: DAILY })[0];
    expect(bandOfDay()).toEqual({ expected: 0.2, low: null, high: null });
    expect(bandOfDay(alertOf(rule))).toBeUndefined();
  });

  test.each([
    [true, 60, 150],
    ['rise', null, 150],
    ['fall', 60, null],
  ])('of a season has the sides that anomaly %s watches', (anomaly, low, high) => {
    const rule = daily(undefined, { ...ANOMALY, anomaly });
    expect(bandAround(rule, 100, { low: 60, high: 150 })).toEqual({ expected: 100, low, high });
    expect(bandAround(rule, 100, null)).toEqual({ expected: 100, low: null, high: null });
  });

  test('of a season and bounds is the wider of the two', () => {
    const rule = daily({ change: { above: 0.2, below: -0.5 } }, { anomaly: true });
    expect(bandAround(rule, 100, { low: 60, high: 150 })).toEqual({ expected: 100, low: 50, high: 150 });
  });

  test('contains no value that breaches the bounds', () => {
    const side = (bound: fc.Arbitrary<number>) =>
      fc.oneof(
        fc.record({ above: bound }),
        fc.record({ below: bound }),
        fc.tuple(bound, bound).map((ends) => ({ below: Math.min(...ends), above: Math.max(...ends) })),
      );
    const bound = fc.integer({ min: -2000, max: 3000 }).map((each) => each / 1000);
    const amount = fc.double({ min: 0, max: 300, noNaN: true });
    const kinds = {
      change: side(bound),
      difference: side(bound.map((each) => each * 100)),
      current: side(amount),
    };
    const bounds = fc.record(kinds, { requiredKeys: [] }).filter((fire) => Object.keys(fire).length > 0);
    fc.assert(
      fc.property(bounds, amount, amount, (fire, expected, current) => {
        const rule = daily(fire);
        const { low, high } = bandAround(rule, expected, null);
        expect(low ?? -Infinity).toBeLessThanOrEqual(high ?? Infinity);
        if (current <= (low ?? -1) + 1e-9 || current >= (high ?? Infinity) - 1e-9) return;
        const difference = current - expected;
        const change = difference === 0 ? 0 : expected === 0 ? null : difference / expected;
        expect(isOutside(fire, { current, difference, change })).toBe(false);
      }),
    );
  });
});

describe('the expected value', () => {
  const fall = daily({ change: { below: -0.3 } });

  test('is the value of the window before', () => {
    const figures = [100, 90, 80];
    expect(bandsOf(fall, [0, 1, 2], (day) => figures[day])).toEqual([
      undefined,
      { expected: 100, low: 70, high: null },
      { expected: 90, low: expect.closeTo(63), high: null },
    ]);
  });

  test('is unknown without a baseline', () => {
    expect(bandsOf(fall, [3], (day) => (day === 2 ? undefined : 100))).toEqual([undefined]);
  });

  test('is the value of the same weekday, or the median of several', () => {
    const figures: Figures = (day) => 100 + day;
    const [week] = bandsOf(ruleNamed('w', { compare: { to: 'same_weekday' } }), [28], figures);
    const [median] = bandsOf(ruleNamed('m', { compare: { median_of: '4 weeks' } }), [28], figures);
    expect([week?.expected, median?.expected]).toEqual([121, 110.5]);
  });

  test('is scaled to a day of 23 hours for a count, but not for a mean', () => {
    const calendarWindows = new CalendarWindows({ grain: 'day', zone: 'Europe/Berlin' });
    const short = calendarWindows.through(
      calendarWindows.before({ startAt: Date.UTC(2026, 2, 29, 22), endAt: 0 }),
      1,
    );
    const berlin = { zone: 'Europe/Berlin', filters: [] };
    const of = (rule: FigureRule, history: Readings) =>
      expectedBands(rule, short, {}, { history, alert: alertOf(rule), calendarWindows })[0]?.expected;
    expect(of(ruleNamed('c', berlin), { reading: () => value(240) })).toBeCloseTo(230);
    const seconds = ruleNamed('s', { ...berlin, metric: 'session_seconds' });
    expect(of(seconds, { reading: () => mean(240, 9) })).toBe(240);
  });

  const dropped: Figures = (day) => (day < 10 ? 100 : day < 14 ? 40 : 100);
  const fired: Fired = {
    windowEndAt: dayAt(10).endAt,
    firstEndAt: dayAt(10).endAt,
    baseline: { ...value(100), window: dayAt(9), origin: { of: 'window' } },
    direction: 'down',
    gap: null,
  };

  test('is the frozen baseline while the alert fires', () => {
    const alert = alertOf(fall, { fired, incidents: [span(10, 13)] });
    const bands = bandsOf(fall, [9, 10, 11, 12, 13], dropped, alert);
    expect(bands.map((band) => band?.expected)).toEqual([100, 100, 100, 100, 100]);
  });

  test('is the baseline of a pending breach right after an incident', () => {
    const suspected = { ...fired, baseline: { ...fired.baseline, ...value(80) } };
    const alert = alertOf(fall, { suspected, incidents: [span(8, 9)] });
    expect(bandsOf(fall, [11], dropped, alert)[0]?.expected).toBe(80);
  });

  test('is the frozen baseline in a past incident, until its recovery could be known', () => {
    const alert = alertOf(fall, { incidents: [span(10, 13)] });
    const rising: Figures = (day) => (day === 14 ? 110 : day === 15 ? 120 : dropped(day));
    const bands = bandsOf(fall, [10, 11, 12, 13, 14, 15, 16], rising, alert);
    expect(bands.map((band) => band?.expected)).toEqual([100, 100, 100, 100, 100, 100, 120]);
  });

  test('is the old level before an accepted level, and the new level after it', () => {
    const rule = ruleNamed('w', { compare: { to: 'same_weekday' } });
    const figures: Figures = (day) => (day < 20 ? 100 : 300);
    const alert = alertOf(rule, { levelSinceAt: dayAt(20).startAt });
    const bands = bandsOf(rule, [19, 29], figures, alert);
    expect(bands.map((band) => band?.expected)).toEqual([100, 300]);
  });

  test.each([
    ['the day before', {}],
    ['the weekday', { compare: { to: 'same_weekday' } }],
    ['the season', ANOMALY],
  ])('is the old level until the new one is accepted (%s)', (_, overrides) => {
    const rule = ruleNamed('w', overrides);
    const figures: Figures = (day) => (day < 80 ? 100 : 300) + (day % 2);
    const alert = alertOf(rule, { levelSinceAt: dayAt(80).startAt, levelAcceptedAt: dayAt(93).endAt });
    const days = [79, 80, 81, 88, 93, 94];
    const bands = bandsOf(rule, days, figures, alert).map((band) => Math.round((band?.expected ?? 0) / 100));
    expect(bands.slice(0, 5)).toEqual([1, 1, 1, 1, 1]);
    expect(bands[5]).toBeGreaterThan(1);
  });
});

const seasonal = ruleNamed('s', ANOMALY);
const both = ruleNamed('b', { anomaly: true, fire: { change: { above: '30%', below: '-30%' } } });
const weekly = ruleNamed('w', { compare: { to: 'same_weekday' } });
const median = ruleNamed('m', { compare: { median_of: '3 weeks' }, fire: { difference: { above: 50 } } });
const RULES = [daily({ change: { above: 0.5, below: -0.5 } }), seasonal, both, weekly, median];
const LAST = 90;
const SHOWN = Array.from({ length: 30 }, (_, i) => LAST - 29 + i);
const wavy = (seed: string): Figures => {
  const week = [1, 1.1, 1.2, 1.1, 1, 0.6, 0.5];
  return (day) =>
    day < 0 ? undefined : Math.round(400 * (week[day % 7] ?? 1) * (1 + 0.08 * noise(day, seed)));
};
const anyRule = fc.constantFrom(...RULES);

test('a band contains its expected value', () => {
  fc.assert(
    fc.property(anyRule, fc.string(), (rule, seed) => {
      const bands = bandsOf(rule, SHOWN, wavy(seed));
      expect(bands.every((band) => band !== undefined)).toBe(true);
      for (const band of bands) {
        expect(band?.low ?? 0).toBeLessThanOrEqual(band?.expected ?? -1);
        expect(band?.expected).toBeLessThanOrEqual(band?.high ?? Infinity);
      }
    }),
    { numRuns: 25 },
  );
});

test('the band of the last window is that of its evaluation', () => {
  fc.assert(
    fc.property(anyRule, fc.boolean(), fc.string(), (rule, fires, seed) => {
      const figures: Figures = (day) =>
        day >= 80 && day < 83 ? 20 : day === LAST - 1 ? 90 : wavy(seed)(day);
      const before = evaluationOf(LAST - 1);
      const second = {
        ...{ windowEndAt: dayAt(LAST).endAt, firstEndAt: dayAt(LAST - 1).endAt, direction: 'down' as const },
        ...{ baseline: { ...before.baseline, ...value(400) }, gap: null },
      };
      const alert = alertOf(rule, {
        incidents: [span(80, 82), ...(fires ? [span(LAST - 1, LAST)] : [])],
        fired: fires ? second : null,
      });
      const [history, window] = [historyOf(figures), dayAt(LAST)];
      const memory = memoryAt(alert, window);
      const context = { history, memory, calendarWindows: DAILY, newestDataAt: window.endAt };
      const evidence = evidenceFor(rule, window, SERIES, context);
      const surprise = evidence?.surprise ?? null;
      const evaluated = bandAround(rule, evidence?.baseline?.value ?? -1, surprise);
      expect(bandsOf(rule, SHOWN, figures, alert).at(-1)).toEqual(evaluated);
    }),
    { numRuns: 25 },
  );
});

test.each(RULES)('bandRange covers all readings that the bands need ($baseline.to)', (rule) => {
  const alert = alertOf(rule, { incidents: [span(70, 72)] });
  const windows = SHOWN.map((day) => dayAt(day));
  const { fromEndAt, throughEndAt } = bandRange(rule, windows, { alert, calendarWindows: DAILY });
  const figures = wavy('loaded');
  const kept: Figures = (day) =>
    fromEndAt <= dayAt(day).endAt && dayAt(day).endAt <= throughEndAt ? figures(day) : undefined;
  expect(bandsOf(rule, SHOWN, kept, alert)).toEqual(bandsOf(rule, SHOWN, figures, alert));
});
