import { describe, expect, test } from 'vitest';
import { drawsFor, gammaAroundOne, poisson } from '../../../local/data/demo/draws.ts';
import { type LearnedAs, SeasonalModel } from '../../../shared/statistics/seasonal.ts';
import { DAILY, HOURLY } from '../../../shared/statistics/seasonality.ts';
import { evaluated, expectedIn, learned, seriesOf, surprise } from './seasonal-series.ts';

describe('a sum over several windows', () => {
  const noisy = (noise = 0.12, seed = 1) => seriesOf(DAILY, 140, 5000, noise, drawsFor(seed, 'noisy'));
  /** Evaluates days of an incident. As with a firing alert, the model learns only the first. */
  const during = (model: SeasonalModel, factorAt: (day: number) => number, days: number) => {
    const draw = drawsFor(3, 'during');
    let isOpen = false;
    return Array.from({ length: days }, (_, day) => {
      const usual = expectedIn(model, day % 7) * gammaAroundOne(draw, 0.08);
      const observation = { slot: day % 7, exposure: 1, value: Math.round(usual * factorAt(day)) };
      const found = surprise(model, observation.slot, observation.value);
      model.learn(observation, isOpen ? 'incident' : 'usual');
      isOpen ||= found.isBeyond;
      return found;
    });
  };

  test('finds a fall of a quarter that lasts, which no day shows alone', () => {
    const found = during(learned(DAILY, noisy()), () => 0.75, 7).find(({ isBeyond }) => isBeyond);
    const { low, expected, sum } = found ?? {};
    expect(sum?.windows).toBeOneOf([3, 7]);
    expect(sum?.value).toBeLessThan(sum?.low ?? 0);
    expect((sum?.value ?? 0) / (sum?.expected ?? 0)).toBeCloseTo(0.75, 1);
    expect((sum?.low ?? 0) / (sum?.expected ?? 0)).toBeGreaterThan((low ?? 0) / (expected ?? 0));
  });

  test('finds a slow decline before it becomes the level', () => {
    const found = during(learned(DAILY, noisy()), (day) => 0.97 ** (day + 1), 14);
    expect(found.some(({ isBeyond }) => isBeyond)).toBe(true);
    const steady = during(learned(DAILY, noisy()), () => 1, 14);
    expect(steady.some(({ isBeyond, sum }) => isBeyond || sum)).toBe(false);
  });

  test('is over on the first normal day, though the sum still contains the fall', () => {
    const model = learned(DAILY, noisy());
    during(model, () => 0.7, 7);
    const usual = expectedIn(model, 0);
    expect(surprise(model, 0, 0.7 * usual).isUsual).toBe(false);
    expect(surprise(model, 0, 1.02 * usual).isUsual).toBe(true);
    const gap = { from: 100, to: 70 };
    expect(model.canDetect({ slot: 0, exposure: 1, value: 1.1 * usual }, gap)).toBe(true);
    expect(model.canDetect({ slot: 0, exposure: 1, value: 0.7 * usual }, gap)).toBe(false);
  });

  test('is over once three usual days show it together, though no day alone is apart from the change', () => {
    const model = learned(DAILY, seriesOf(DAILY, 16 * 7, 2000, 0.2, drawsFor(3, 'wide')));
    const gap = { from: 6000, to: 6000 * 1.5 };
    const daysToEnd = (factor: number) => {
      for (let day = 0; day < 14; day++) {
        const observation = { slot: day % 7, exposure: 1, value: factor * expectedIn(model, day % 7) };
        if (surprise(model, observation.slot, observation.value).isUsual && model.canDetect(observation, gap))
          return day;
        model.learn(observation, 'incident');
      }
      return undefined;
    };
    model.learn({ slot: 0, exposure: 1, value: 1.5 * expectedIn(model, 0) }, 'first of an incident');
    expect(daysToEnd(1.4)).toBeUndefined();
    expect(daysToEnd(1)).toBe(4);
  });

  test('finds a fall of three hours in which no single hour is beyond its limit', () => {
    const model = learned(HOURLY, seriesOf(HOURLY, 8 * 168, 20, 0.05, drawsFor(1, 'few')));
    const found = Array.from({ length: 12 }, (_, slot) => {
      const value = Math.round((slot < 9 ? 1 : 0.25) * expectedIn(model, slot));
      const each = surprise(model, slot, value);
      model.learn({ slot, exposure: 1, value });
      return each;
    });
    expect(found.findIndex(({ isBeyond }) => isBeyond)).toBe(11);
    expect(found[11]?.sum?.windows).toBe(3);
  });

  test('finds half a day of few events an hour', () => {
    const few = seriesOf(HOURLY, 8 * 168, 4, 0.05, drawsFor(1, 'few'));
    const model = learned(HOURLY, few);
    const draw = drawsFor(2, 'few');
    const found = Array.from({ length: 24 }, (_, slot) => {
      const value = poisson(draw, 0.3 * 4 * 1.1 * (1 + 0.7 * Math.sin((slot * Math.PI) / 12)));
      const each = surprise(model, slot, value);
      model.learn({ slot, exposure: 1, value });
      return each;
    });
    expect(found.find(({ isBeyond }) => isBeyond)?.sum?.windows).toBeOneOf([6, 24]);
  });

  test('forgets an incident of one day when it ends', () => {
    const sumsAfter = (as: LearnedAs) => {
      const model = learned(DAILY, noisy());
      model.learn({ slot: 0, exposure: 1, value: 0 }, as);
      model.learn({ slot: 1, exposure: 1, value: 5000 });
      return surprise(model, 2, 5000).sums;
    };
    expect(sumsAfter('usual')).toMatchObject([{ windows: 3 }, { windows: 7 }]);
    // Two of three days are enough.
    expect(sumsAfter('first of an incident')).toMatchObject([{ windows: 3, value: 10_000 }]);
  });

  test('is not made by one outlier', () => {
    const model = learned(DAILY, noisy());
    model.learn({ slot: 0, exposure: 1, value: 0 });
    for (let slot = 1; slot < 7; slot++) {
      const value = Math.round(0.95 * expectedIn(model, slot));
      expect(surprise(model, slot, value).isBeyond).toBe(false);
      model.learn({ slot, exposure: 1, value });
    }
  });

  test('does not call a night without events the end of an outage', () => {
    const draw = drawsFor(4, 'nights');
    const night = (hour: number) => Math.max(0.01, ((1 - Math.cos((2 * Math.PI * hour) / 24)) / 2) ** 2);
    const values = Array.from({ length: 10 * 168 }, (_, hour) => poisson(draw, 40 * night(hour % 24)));
    const model = learned(HOURLY, values);
    const ends = Array.from({ length: 48 }, (_, hour) => {
      const observation = { slot: (12 + hour) % 168, exposure: 1, value: 0 };
      const { isUsual } = surprise(model, observation.slot, 0);
      const isOver = isUsual && model.canDetect(observation, { from: 40, to: 0 });
      model.learn(observation, hour === 0 ? 'first of an incident' : 'incident');
      return isOver;
    });
    expect(ends).not.toContain(true);
  });

  test('is a number for means that fall to zero', () => {
    const model = new SeasonalModel(DAILY, 'mean');
    for (let i = 0; i < 110; i++) {
      const value = i < 63 ? 0.31 + ((i * 28) % 13) / 100 : 0;
      const observation = { slot: i % 7, exposure: 1, value };
      for (const sum of model.surpriseOf(observation)?.sums ?? [])
        expect(Object.values(sum).some((figure) => Number.isNaN(figure))).toBe(false);
      model.learn(observation);
    }
  });

  test('of a week that was as unusual a year ago is not beyond', () => {
    const quiet = (day: number) => day % 364 >= 350 && day % 364 < 354;
    const values = seriesOf(DAILY, 2 * 364, 3000, 0.06, drawsFor(1, 'year')).map((value, day) =>
      quiet(day) ? Math.round(0.5 * value) : value,
    );
    const found = evaluated(DAILY, values);
    expect(found.slice(350, 354).some((each) => each?.isBeyond)).toBe(true);
    expect(found.slice(364 + 350, 364 + 354).filter((each) => each?.sum)).toEqual([]);
  });

  test('of means is their mean, also if a window is unknown', () => {
    const model = learned(
      DAILY,
      noisy().map((value) => value / 1000),
      'mean',
    );
    model.learn({ slot: 0, exposure: 1, value: null });
    const expected = expectedIn(model, 1);
    const { sums } = surprise(model, 1, expected);
    expect(sums.map(({ windows }) => windows)).toEqual([3, 7]);
    for (const sum of sums) expect(Math.abs(sum.expected / expected - 1)).toBeLessThan(0.2);
  });
});
