import { describe, expect, test } from 'vitest';
import {
  averageDeviation,
  countDeviation,
  type Summed,
  sumDeviation,
} from '../../../shared/statistics/counts.ts';
import { rateDeviations, ratioDeviations } from '../../../shared/statistics/ratios.ts';

const summed = (amount: number, events: number): Summed => ({ amount, events, exposure: 24 });

describe('a sum over events', () => {
  test('does not depend on the unit', () => {
    const inEuros = sumDeviation(summed(1200, 60), summed(2000, 100));
    const inCents = sumDeviation(summed(120_000, 60), summed(200_000, 100));
    expect(inCents?.change).toBeCloseTo(inEuros?.change ?? 0, 10);
    expect(inCents?.chance).toBeCloseTo(inEuros?.chance ?? 0, 10);
  });

  test('of ones has the change of the count and twice its chance', () => {
    const exposed = (amount: number) => ({ amount, exposure: 24 });
    const count = countDeviation({ current: exposed(60), baseline: exposed(100) });
    const sum = sumDeviation(summed(60, 60), summed(100, 100));
    expect(sum).toEqual({ change: count.change, chance: 2 * count.chance });
  });

  test('that falls to zero has a finite change', () => {
    const { change, chance } = sumDeviation(summed(0, 0), summed(2000, 100)) ?? {};
    expect(change).toBeCloseTo(Math.log(0.5 / 100.5), 10);
    expect(chance).toBeLessThan(0.1);
  });

  test.each([
    { name: 'negative', current: summed(-5, 10), baseline: summed(50, 10) },
    { name: 'zero in both windows', current: summed(0, 10), baseline: summed(0, 10) },
    { name: 'of unknown events', current: summed(5, 0), baseline: summed(5, 0) },
  ])('that is $name has no model of chance', ({ current, baseline }) => {
    expect(sumDeviation(current, baseline)).toBeUndefined();
  });

  test('of values that vary like their mean varies by its chance', () => {
    const random = randomNumbers(7);
    const total = (events: number) => {
      let amount = 0;
      for (let i = 0; i < events; i++) amount -= Math.log(1 - random());
      return summed(40 * amount, events);
    };
    // The number of events is that of a Poisson process of 200 an hour.
    const events = () => {
      let count = 0;
      const pause = () => -Math.log(1 - random());
      for (let at = pause(); at < 200; at += pause()) count++;
      return count;
    };
    const squares = Array.from({ length: 2000 }, () => {
      const { change = 0, chance = 1 } = sumDeviation(total(events()), total(events())) ?? {};
      return change ** 2 / chance;
    });
    const variance = squares.reduce((sum, square) => sum + square, 0) / squares.length;
    expect(variance).toBeGreaterThan(0.92);
    expect(variance).toBeLessThan(1.08);
  });
});

describe('an average over events', () => {
  const averaged = (mean: number, exposure: number) => ({ amount: mean * exposure, exposure });

  test.each([0.01, 1, 1000])('has the chance of its number of events in units of %s', (unit) => {
    const pair = { current: averaged(30 * unit, 400), baseline: averaged(40 * unit, 500) };
    const { change, chance } = averageDeviation(pair) ?? {};
    expect(change).toBeCloseTo(Math.log(0.75), 2);
    expect(chance).toBeCloseTo(1 / 400 + 1 / 500, 10);
  });
});

test('a rate of counts that are no parts of one another is not compared as a share', () => {
  const pair = { current: { of: 90, to: 100 }, baseline: { of: 95, to: 100 } };
  const [[asShare], [asRate]] = [ratioDeviations(pair, []), rateDeviations(pair, [])];
  expect(asRate.change).toBeCloseTo(Math.log(90.5 / 95.5), 10);
  expect(asShare.change).toBeCloseTo(Math.log(90.5 / 10.5) - Math.log(95.5 / 5.5), 10);
});

/** Numbers from 0 to 1 (Park and Miller). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
