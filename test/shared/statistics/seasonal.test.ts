import * as fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { drawsFor, gammaAroundOne, poisson } from '../../../local/data/demo/draws.ts';
import { SeasonalModel } from '../../../shared/statistics/seasonal.ts';
import { DAILY, HOURLY, SENSITIVITIES } from '../../../shared/statistics/seasonality.ts';
import {
  days,
  evaluated,
  expectedAt,
  expectedIn,
  hours,
  learned,
  seriesOf,
  surprise,
} from './seasonal-series.ts';

describe('surpriseOf', () => {
  test('does not depend on later values', () => {
    const cut = fc.record({
      seed: fc.integer({ min: 1, max: 1000 }),
      rate: fc.constantFrom(2, 50, 5000),
      noise: fc.constantFrom(0.03, 0.4),
      at: fc.integer({ min: 1, max: 6 * 168 }),
    });
    fc.assert(
      fc.property(cut, ({ seed, rate, noise, at }) => {
        const draw = drawsFor(seed, 'look-ahead');
        const real = seriesOf(HOURLY, 7 * 168, rate, noise, draw);
        const noisy = real.map((value, i) => (i < at ? value : Math.floor(draw() * 20 * rate)));
        expect(evaluated(HOURLY, noisy).slice(0, at)).toEqual(evaluated(HOURLY, real).slice(0, at));
      }),
      { numRuns: 12 },
    );
  });

  test('returns undefined until the model has learned enough', () => {
    const found = evaluated(HOURLY, hours());
    expect(found.slice(0, 48).every((each) => each === undefined)).toBe(true);
    expect(found[48]).toBeDefined();
  });

  test('returns undefined for an unknown value, which changes no expected value', () => {
    const model = learned(HOURLY, hours());
    expect(model.surpriseOf({ slot: 0, exposure: 1, value: null })).toBeUndefined();
    const before = expectedIn(model, 1);
    model.learn({ slot: 0, exposure: 1, value: null });
    expect(expectedIn(model, 1) / before).toBeCloseTo(1, 1);
  });
});

describe('an alarm', () => {
  test.each([
    ['is raised for an hour without events', 0, true, -1],
    ['is raised for half of the expected value', 0.5, true, -1],
    ['is raised for twice the expected value', 2, true, 1],
    ['is not raised for a tenth less', 0.9, false, -1],
    ['is not raised for a tenth more', 1.1, false, 1],
  ])('%s', (_, factor, isBeyond, sign) => {
    const model = learned(HOURLY, hours());
    const usual = expectedIn(model, 0);
    const found = surprise(model, 0, Math.round(usual * factor));
    expect(found.isBeyond).toBe(isBeyond);
    expect(Math.sign(found.z)).toBe(sign);
  });

  test('is raised exactly for values outside the returned band', () => {
    const model = learned(HOURLY, hours());
    for (let value = 0; value < 1500; value += 7) {
      const { low, high, isBeyond } = surprise(model, 0, value);
      expect(isBeyond).toBe(value < low || value > high);
    }
  });

  test('is rare in a normal series', () => {
    const found = [1, 2, 3].flatMap((seed) => evaluated(HOURLY, hours(400, 0.1, seed)));
    expect(found.filter((each) => each?.isBeyond).length).toBeLessThanOrEqual(1);
  });

  test('is not raised in a series of small counts for 0 to 6', () => {
    const model = learned(HOURLY, seriesOf(HOURLY, 12 * 168, 2, 0.05, drawsFor(1, 'few')));
    for (const value of [0, 2, 4, 6]) expect(surprise(model, 20, value).isBeyond).toBe(false);
    expect(surprise(model, 20, 40).isBeyond).toBe(true);
  });

  test('is raised if a noisy series stops', () => {
    const model = learned(DAILY, seriesOf(DAILY, 30 * 7, 5000, 0.35, drawsFor(1, 'weather')));
    expect(surprise(model, 0, 0).isBeyond).toBe(true);
    expect(surprise(model, 0, 2500).isBeyond).toBe(false);
  });

  test('is not raised by the end of an incident', () => {
    const model = learned(HOURLY, hours());
    for (let slot = 0; slot < 8; slot++) {
      const usual = expectedAt(slot);
      expect(surprise(model, slot, 3 * usual).z).toBeGreaterThan(0);
      model.learn({ slot, exposure: 1, value: 3 * usual }, 'incident');
    }
    expect(surprise(model, 8, expectedAt(8)).isBeyond).toBe(false);
    expect(surprise(model, 8, expectedAt(8) / 4).isBeyond).toBe(true);
  });

  test('needs a larger rise in a series with bursts, but no larger fall', () => {
    const normal = hours();
    const bursts = normal.map((value, i) => (i % 131 === 0 ? value * 4 : value));
    const [model, bursty] = [learned(HOURLY, normal), learned(HOURLY, bursts)];
    expect(surprise(bursty, 0, 4000).limit).toBeGreaterThan(1.5 * surprise(model, 0, 4000).limit);
    expect(surprise(bursty, 0, 0).limit).toBe(surprise(model, 0, 0).limit);
  });

  test('is raised for a large rise in a series with quiet nights and wide variation', () => {
    const model = learned(HOURLY, seriesOf(HOURLY, 2 * 168, 20, 0.8, drawsFor(1, 'crashes')));
    for (const slot of [2, 8, 14]) expect(surprise(model, slot, 300).isBeyond).toBe(true);
    for (const slot of [2, 8, 14]) expect(surprise(model, slot, 40).isBeyond).toBe(false);
  });

  test('has the sign of the difference from the expected value', () => {
    const persistent = hours().map((value, i) => (Math.floor(i / 25) % 4 === 0 ? 2 * value : value));
    const model = learned(HOURLY, persistent);
    model.learn({ slot: 0, exposure: 1, value: 3 * expectedAt(0) });
    const { expected, z } = surprise(model, 1, 1.4 * expectedAt(1));
    expect(expected).toBeGreaterThan(1.4 * expectedAt(1));
    expect(z).toBeLessThan(0);
  });

  test('is rare in a series with one noisy peak hour a day', () => {
    const draw = drawsFor(1, 'peak');
    const values = Array.from({ length: 30 * 168 }, (_, i) =>
      poisson(draw, i % 24 === 12 ? 2000 * gammaAroundOne(draw, 0.5) : 20),
    );
    const beyond = evaluated(HOURLY, values).filter((each) => each?.isBeyond);
    expect(beyond.length).toBeLessThan(25);
  });

  test('expects the season, not the carry-over, of a rise that is large by its size', () => {
    const model = learned(HOURLY, seriesOf(HOURLY, 8 * 168, 200, 0.6, drawsFor(1, 'ramp')));
    const season = expectedIn(model, 8);
    for (let slot = 0; slot < 8; slot++)
      model.learn({ slot, exposure: 1, value: (1 + slot / 4) * expectedAt(slot) });
    const found = surprise(model, 8, 8 * season);
    expect(found.isBeyond).toBe(true);
    expect(found.expected / season).toBeLessThan(1.6);
    const slots = Array.from({ length: 168 }, (_, slot) => slot);
    const gap = { from: found.expected, to: 8 * season };
    expect(
      slots.some((slot) => model.canDetect({ slot, exposure: 1, value: expectedIn(model, slot) }, gap)),
    ).toBe(true);
  });

  test('is not raised for a value near the season after an unusual window', () => {
    const model = learned(HOURLY, hours(4000, 0.02));
    model.learn({ slot: 0, exposure: 1, value: 6000 });
    expect(surprise(model, 1, 10 * expectedAt(1)).isBeyond).toBe(false);
  });

  test('returns the rank among the remembered days', () => {
    const model = learned(HOURLY, hours());
    expect(surprise(model, 0, 0)).toMatchObject({ larger: 0, remembered: 56 });
    model.learn({ slot: 0, exposure: 1, value: 0 });
    for (let slot = 1; slot < 24; slot++) model.learn({ slot, exposure: 1, value: 400 }, 'incident');
    expect(surprise(model, 24, 150).larger).toBeGreaterThanOrEqual(1);
  });
});

describe('learning', () => {
  test('takes no chance of few events for a season', () => {
    const draw = drawsFor(1, 'noise');
    const model = learned(
      HOURLY,
      Array.from({ length: 4 * 168 }, () => poisson(draw, 5)),
    );
    const expected = Array.from({ length: 168 }, (_, slot) => expectedIn(model, slot));
    expect(expected.filter((each) => each < 2.5 || each > 7.5)).toEqual([]);
  });

  test('clips outliers before it learns them', () => {
    const [normal, burst] = [learned(HOURLY, hours()), learned(HOURLY, hours())];
    normal.learn({ slot: 0, exposure: 1, value: 400 });
    burst.learn({ slot: 0, exposure: 1, value: 400_000 });
    const shift = expectedIn(burst, 24) / expectedIn(normal, 24);
    expect(shift).toBeGreaterThan(0.9);
    expect(shift).toBeLessThan(1.2);
  });

  test('ignores windows of an incident or a holiday', () => {
    const [excluding, including] = [learned(DAILY, days()), learned(DAILY, days())];
    for (let slot = 0; slot < 7; slot++) {
      excluding.learn({ slot, exposure: 1, value: 1000 }, 'incident');
      including.learn({ slot, exposure: 1, value: 1000 });
    }
    // A normal week later, the carried-over deviation has decayed.
    for (const [slot, value] of days().slice(0, 7).entries())
      for (const model of [excluding, including])
        model.learn({ slot, exposure: 1, value }, model === including ? 'usual' : 'incident');
    const [kept, moved] = [expectedIn(excluding, 0), expectedIn(including, 0)];
    expect(Math.abs(kept / 5500 - 1)).toBeLessThan(0.1);
    expect(moved).toBeLessThan(kept);
  });

  test('adapts to a level that stays', () => {
    const values = hours().map((value, i) => (i < 6 * 168 ? value : Math.round(value / 3)));
    const found = evaluated(HOURLY, values);
    expect(found[6 * 168]?.isBeyond).toBe(true);
    expect(found.slice(-168).some((each) => each?.isBeyond)).toBe(false);
  });

  test('follows an incident without treating it as normal', () => {
    const model = learned(HOURLY, hours());
    for (let slot = 0; slot < 3; slot++) model.learn({ slot, exposure: 1, value: 100 }, 'incident');
    expect(surprise(model, 3, 100)).toMatchObject({ isUsual: false });
    expect(surprise(model, 3, 650)).toMatchObject({ isUsual: true });
  });

  test.each([
    ['does not learn four days of one incident as recurring gaps', [true, false, false, false], false],
    ['learns four one-day incidents as recurring gaps', [true, true, true, true], true],
  ])('%s', (_, opens, isUsual) => {
    const model = learned(DAILY, days());
    const { limit } = surprise(model, 0, 0);
    for (const [slot, opened] of opens.entries())
      model.learn({ slot, exposure: 1, value: 0 }, opened ? 'first of an incident' : 'incident');
    expect(surprise(model, 4, 0).limit > 2 * limit).toBe(isUsual);
  });

  test('expects a value again that a slot had before a series of partial outages', () => {
    const weeks = Array.from({ length: 12 }, (_, week) =>
      seriesOf(HOURLY, 168, 150, 0.05, drawsFor(week, 'outages')).map((value, slot) =>
        slot === 80 && week > 3 && week % 8 < 5 ? 0 : value,
      ),
    );
    const model = learned(HOURLY, weeks.flat());
    const breaches = Array.from({ length: 25 }, (_, week) => {
      let isOpen = false;
      return seriesOf(HOURLY, 168, 150, 0.05, drawsFor(100 + week, 'outages')).map((value, slot) => {
        const { isBeyond } = surprise(model, slot, value);
        model.learn({ slot, exposure: 1, value }, isOpen ? 'incident' : 'usual');
        isOpen = isBeyond;
        return isBeyond;
      });
    });
    expect(breaches.slice(10).flat()).not.toContain(true);
  });

  test('recognises a holiday of a year ago on another day of the week', () => {
    const values = days(60);
    const isSunday = (day: number) => day % 7 === 6;
    const holiday = 6 * 7 + 6;
    values[holiday] = 1500;
    const model = learned(DAILY, values.slice(0, holiday + 365));
    expect(isSunday(holiday + 365)).toBe(false);
    expect(surprise(model, (holiday + 365) % 7, 1600).isBeyond).toBe(false);
    expect(surprise(model, (holiday + 365) % 7, 500).isBeyond).toBe(true);
  });

  test('recognises a deviation that also occurred a year ago', () => {
    const values = days(60);
    values[20] = 1500;
    const model = learned(DAILY, values.slice(0, 20 + 364));
    const slot = (20 + 364) % 7;
    expect(surprise(model, slot, 1600)).toMatchObject({ isBeyond: false });
    expect(surprise(model, slot, 0)).toMatchObject({ isBeyond: true });
    expect(surprise(model, slot, 12_000)).toMatchObject({ isBeyond: true });
  });
});

describe('a clock change', () => {
  test.each([
    ['skips an hour in spring', [0, 1, 3, 4, 5]],
    ['repeats an hour in autumn', [0, 1, 2, 2, 3, 4, 5]],
  ])('that %s leaves what is expected of later hours unchanged', (_, slots) => {
    const model = learned(HOURLY, hours(4000, 0.02));
    const usual = learned(HOURLY, hours(4000, 0.02));
    for (const slot of slots) model.learn({ slot, exposure: 1, value: Math.round(expectedIn(usual, slot)) });
    for (let slot = 6; slot < 24; slot++) {
      const usually = expectedIn(usual, slot);
      expect(Math.abs(expectedIn(model, slot) / usually - 1)).toBeLessThan(0.03);
    }
  });

  test('lowers the expected value of a shorter day', () => {
    const model = learned(DAILY, days());
    const whole = expectedIn(model, 0);
    expect(expectedIn(model, 0, 23 / 24)).toBeCloseTo((whole * 23) / 24, 1);
    expect(surprise(model, 0, (whole * 23) / 24, 23 / 24).isBeyond).toBe(false);
  });

  test('does not change the expected mean of a longer day', () => {
    const model = learned(DAILY, days(), 'mean');
    const whole = expectedIn(model, 0);
    expect(expectedIn(model, 0, 25 / 24)).toBeCloseTo(whole, 6);
    model.learn({ slot: 0, exposure: 25 / 24, value: whole });
    expect(expectedIn(model, 0)).toBeCloseTo(whole, -2);
  });
});

describe('scale', () => {
  test('gives the same z for means in any unit', () => {
    const values = hours().map((value) => value / 400);
    const [small, large] = [
      learned(HOURLY, values, 'mean'),
      learned(
        HOURLY,
        values.map((v) => v * 1e6),
        'mean',
      ),
    ];
    for (const value of [0, 0.5, 1, 3])
      expect(surprise(large, 0, value * 1e6).z / surprise(small, 0, value).z).toBeCloseTo(1, 1);
  });

  test('evaluates a mean after weeks of zeros', () => {
    const model = learned(
      HOURLY,
      hours(40).map((value) => value / 1000),
      'mean',
    );
    for (let i = 0; i < 3 * 168; i++) model.learn({ slot: i % 168, exposure: 1, value: 0 });
    expect(surprise(model, 0, 0)).toMatchObject({ isBeyond: false, z: expect.closeTo(0, 0) });
    expect(surprise(model, 0, 0.9)).toMatchObject({ isBeyond: true, low: 0 });
  });

  test('handles series of zeros and constant series', () => {
    const [nothing, same] = [learned(HOURLY, Array(1000).fill(0)), learned(HOURLY, Array(1000).fill(7))];
    expect(surprise(nothing, 0, 0).z).toBeCloseTo(0, 0);
    expect(surprise(nothing, 0, 1).isBeyond).toBe(false);
    expect(surprise(nothing, 0, 1000).isBeyond).toBe(true);
    expect(surprise(same, 0, 7).z).toBeCloseTo(0, 6);
    expect(Number.isFinite(surprise(same, 0, 70).z)).toBe(true);
  });
});

describe('sensitivity', () => {
  test.each([DAILY, HOURLY])('multiplies the limits of windows and of sums', (seasonality) => {
    const values = seriesOf(seasonality, 12 * seasonality.slots, 900, 0.05, drawsFor(1, 'sensitivity'));
    const [low, normal, high] = SENSITIVITIES.map((sensitivity) => {
      const model = new SeasonalModel(seasonality, 'count', sensitivity);
      return evaluated(seasonality, [...values, 450], model).at(-1);
    });
    for (const [other, factor] of [
      [low, 1.25],
      [high, 0.8],
    ] as const) {
      expect((other?.limit ?? 0) / (normal?.limit ?? 0)).toBeCloseTo(factor, 9);
      const limits = normal?.sums.map((sum) => expect.closeTo(sum.limit * factor, 9));
      expect(other?.sums.map((sum) => sum.limit)).toEqual(limits);
    }
    expect(normal?.sums).toHaveLength(seasonality.sums.length);
    expect((high?.ratio ?? 0) > (normal?.ratio ?? 0) && (normal?.ratio ?? 0) > (low?.ratio ?? 0)).toBe(true);
  });

  test('finds more and is wrong more often the higher it is', () => {
    const values = seriesOf(DAILY, 200 * 7, 300, 0.15, drawsFor(3, 'order'));
    const counted = SENSITIVITIES.map((sensitivity) => {
      const model = new SeasonalModel(DAILY, 'count', sensitivity);
      const count = { wrong: 0, found: 0 };
      for (const [i, value] of values.entries()) {
        const day = { slot: i % DAILY.slots, exposure: 1 };
        if (model.surpriseOf({ ...day, value })?.isBeyond) count.wrong++;
        if (model.surpriseOf({ ...day, value: value * 0.45 })?.isBeyond) count.found++;
        model.learn({ ...day, value });
      }
      return count;
    });
    for (const key of ['wrong', 'found'] as const) {
      const [low = 0, normal = 0, high = 0] = counted.map((count) => count[key]);
      expect(low).toBeLessThan(normal);
      expect(normal).toBeLessThan(high);
    }
  });
});

describe('cost', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('does the same work per window in the third year as in the second', () => {
    const work = ['copyWithin', 'sort', 'toSorted', 'subarray', 'set'] as const;
    const calls = work.map((method) => vi.spyOn(Float64Array.prototype, method));
    const values = seriesOf(HOURLY, 52 * 168, 300, 0.1, drawsFor(1, 'cost'));
    const model = learned(HOURLY, values);
    const counts = [2, 3].map(() => {
      for (const each of calls) each.mockClear();
      for (const [i, value] of values.entries()) {
        const observation = { slot: i % 168, exposure: 1, value };
        model.surpriseOf(observation);
        model.learn(observation);
      }
      return calls.map((each) => each.mock.calls.length);
    });
    expect(counts[1]).toEqual(counts[0]);
  });
});
