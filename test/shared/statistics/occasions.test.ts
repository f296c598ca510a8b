import { describe, expect, test } from 'vitest';
import type { SeasonalModel, Surprise } from '../../../shared/statistics/seasonal.ts';
import { DAILY } from '../../../shared/statistics/seasonality.ts';
import { occasionsOf } from '../../../shared/time/occasion.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { days, expectedIn, learned } from './seasonal-series.ts';

const holiday = { name: 'Labor Day', isNear: false };
const eve = { name: 'the day before Labor Day', isNear: true };

/** The next day is a Monday, at about 5,500. */
const young = () => learned(DAILY, days(8));

function on(model: SeasonalModel, part: number, occasion = holiday): Surprise {
  const value = Math.round(part * expectedIn(young(), 0));
  const found = model.surpriseOf({ slot: 0, exposure: 1, value, occasion });
  if (!found) throw new Error('the model knows too little');
  return found;
}

/** Later weeks, each with a holiday on Monday that has this part of the usual value. */
function afterHolidays(parts: number[], nameOf: (i: number) => string): SeasonalModel {
  const model = young();
  const usual = days(1);
  for (const [i, part] of parts.entries())
    for (const [slot, value] of usual.entries())
      model.learn({
        ...{ slot, exposure: 1, value: slot === 0 ? Math.round(part * value) : value },
        occasion: slot === 0 ? { name: nameOf(i), isNear: false } : undefined,
      });
  return model;
}

describe('a holiday', () => {
  test('widens the range, but does not hide an outage', () => {
    expect(on(young(), 0.6).isBeyond).toBe(false);
    expect(on(young(), 0.05).isBeyond).toBe(true);
    expect(on(young(), 0).isBeyond).toBe(true);
    const { low, high } = on(young(), 1);
    expect(low).toBeLessThan(0.5 * 5500);
    expect(high).toBeGreaterThan(1.4 * 5500);
  });

  test('widens less on the day before', () => {
    expect(on(young(), 0.8, eve).isBeyond).toBe(false);
    expect(on(young(), 0.5, eve).isBeyond).toBe(true);
  });

  test('widens less in a series that never reacted', () => {
    const steady = afterHolidays(Array(12).fill(1), (i) => `holiday ${i}`);
    expect(on(steady, 0.5).isBeyond).toBe(true);
    const reacting = afterHolidays(Array(12).fill(0.4), (i) => `holiday ${i}`);
    expect(on(reacting, 0.4).isBeyond).toBe(false);
  });

  test('is as large as a year before', () => {
    const before = afterHolidays([0.3, 1], () => 'Labor Day');
    expect(on(before, 0.6).isBeyond).toBe(true);
    const small = afterHolidays([1, 0.3], () => 'Labor Day');
    expect(on(small, 0.3).isBeyond).toBe(false);
    expect(on(small, 0.05).isBeyond).toBe(true);
  });

  test.each([
    ['half the usual', 0.5, false],
    ['almost nothing', 0.05, true],
  ])('%s from 24 to 26 December fires: %s', (_, part, fires) => {
    const occasionOn = occasionsOf({ country: 'DE', days: [] });
    const christmas = Date.UTC(2025, 11, 24) / DAY_MS;
    for (const seed of [1, 2, 3]) {
      const model = learned(DAILY, days(8, seed));
      const found = [0, 1, 2, 3, 4, 5, 6].map((day) => {
        const value = Math.round((day < 2 || day > 4 ? 1 : part) * expectedIn(young(), day));
        const observation = { slot: day, exposure: 1, value, occasion: occasionOn(christmas - 2 + day) };
        const { isBeyond } = model.surpriseOf(observation) ?? { isBeyond: false };
        model.learn(observation);
        return isBeyond;
      });
      expect(found).toEqual([false, false, fires, fires, fires, false, false]);
    }
  });

  test('does not count in the sums that contain it', () => {
    const model = young();
    const values = days(1);
    const occasions = [holiday, { name: 'the day after Labor Day', isNear: true }];
    const found = values.map((value, slot) => {
      const part = [0.5, 0.75, 0.93, 0.93][slot] ?? 1;
      const observation = { slot, exposure: 1, value: Math.round(part * value), occasion: occasions[slot] };
      const surprise = model.surpriseOf(observation);
      model.learn(observation);
      return surprise;
    });
    expect(found.some((each) => each?.isBeyond)).toBe(false);
  });
});
