import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countDeviation, type ExposedPair, meanDeviation } from '../../../shared/statistics/counts.ts';
import { dispersedTest, historicalDispersion } from '../../../shared/statistics/dispersion.ts';

const pair = (current: number, baseline: number, hours = [24, 24]): ExposedPair => ({
  current: { amount: current, exposure: hours[0] ?? 24 },
  baseline: { amount: baseline, exposure: hours[1] ?? 24 },
});

const repeated = (count: number, make: (i: number) => ExposedPair) =>
  Array.from({ length: count }, (_, i) => make(i));

describe('historicalDispersion', () => {
  const dispersionOf = (past: ExposedPair[]) => historicalDispersion(past.map(countDeviation));

  it('is 25% without a past, or that of the family if given', () => {
    expect(historicalDispersion([])).toEqual({ clustering: 1, tau: 0.25 });
    const family = { clustering: 2, tau: 0.08 };
    expect(historicalDispersion([], family)).toEqual(family);
  });

  it('is zero if the past varies no more than Poisson', () => {
    expect(dispersionOf(repeated(40, (i) => pair(1000 + (i % 2), 1000)))).toEqual({
      clustering: 1,
      tau: 0,
    });
  });

  it('is a spread of whole periods if large counts vary', () => {
    const { tau } = dispersionOf(repeated(40, (i) => pair(i % 2 ? 130_000 : 76_923, 100_000)));
    expect(tau).toBeCloseTo(1.4826 * Math.log(1.3), 2);
  });

  it('is clustering if small counts vary', () => {
    const { clustering, tau } = dispersionOf(repeated(20, (i) => pair(i % 2 ? 12 : 3, 6)));
    expect(clustering).toBeGreaterThan(2);
    expect(tau).toBeLessThan(0.16);
  });

  it('is not widened by one past incident', () => {
    const expectedRange = repeated(20, (i) => pair(i % 2 ? 1050 : 950, 1000));
    const [before, after] = [expectedRange, [...expectedRange, pair(10, 1000)]].map(dispersionOf);
    expect(after?.tau).toBeCloseTo(before?.tau ?? Number.NaN, 1);
  });
});

const countTest = (one: ExposedPair, past: ExposedPair[]) =>
  dispersedTest(countDeviation(one), past.map(countDeviation));

describe('the test of a count', () => {
  const noisy = repeated(20, (i) => pair(i % 2 ? 1300 : 770, 1000));

  it('finds a change that exceeds the expected spread', () => {
    expect(countTest(pair(100, 1000), noisy).p).toBeLessThan(0.01);
  });

  it('ignores a change that chance alone excludes if the series always varies as much', () => {
    const change = pair(750, 1000);
    expect(countTest(change, noisy).p).toBeGreaterThan(0.05);
  });

  it('finds a large surge in a series of few, clustered events', () => {
    const counts = [0, 11, 8, 5, 3, 12, 6, 9, 2, 7];
    const few = repeated(40, (i) => pair(counts[(i + 1) % 10] ?? 0, counts[i % 10] ?? 0));
    expect(countTest(pair(12, 3), few).p).toBeGreaterThan(0.05);
    expect(countTest(pair(160, 6), few).p).toBeLessThan(0.02);
  });

  it('is symmetric for a rise and the fall that undoes it', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.nat(5000), (a, b) => {
        const [rise, fall] = [countTest(pair(a, b), noisy), countTest(pair(b, a), noisy)];
        expect(rise.z).toBeCloseTo(-fall.z, 9);
        expect(rise.p).toBeCloseTo(fall.p, 9);
        expect(rise.p).toBeGreaterThanOrEqual(0);
        expect(rise.p).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('finds a full stop of a modest count without history', () => {
    expect(countTest(pair(0, 60), []).p).toBeLessThan(0.001);
    expect(countTest(pair(0, 3), []).p).toBeGreaterThan(0.01);
  });
});

describe('meanDeviation', () => {
  const seconds = (sessions: number, mean: number) => ({ amount: sessions * mean, exposure: sessions });

  it('takes the chance from the number of sessions, not of seconds', () => {
    const means = { current: seconds(3, 60), baseline: seconds(1000, 120) };
    expect(meanDeviation(means).chance).toBeCloseTo(1 / 3 + 1 / 1000, 9);
    expect(meanDeviation(means).change).toBe(countDeviation(means).change);
  });

  it('equals the deviation of the events if most sessions have none', () => {
    const rages = { current: seconds(100, 0.3), baseline: seconds(400, 0.1) };
    expect(meanDeviation(rages)).toEqual(countDeviation(rages));
  });
});
