import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countDeviation,
  dispersedCountTest,
  type ExposedPair,
  exactConditionalP,
  meanDeviation,
} from '../../../shared/statistics/counts.ts';
import { historicalDispersion } from '../../../shared/statistics/dispersion.ts';

const pair = (current: number, baseline: number, hours = [24, 24]): ExposedPair => ({
  current: { amount: current, exposure: hours[0] ?? 24 },
  baseline: { amount: baseline, exposure: hours[1] ?? 24 },
});

const repeated = (count: number, make: (i: number) => ExposedPair) =>
  Array.from({ length: count }, (_, i) => make(i));

describe('the exact conditional test', () => {
  // Reference: twice the smaller mid-p tail of Binomial(n, 1/2), summed with 60 digits.
  it.each([
    [40, 60, 0.046044066929],
    [300, 340, 0.114058238637],
    [5, 5, 1],
    [0, 10, 0.0009765625],
    [0, 0, 1],
  ])('%d against %d has mid-p %d', (current, baseline, expected) => {
    expect(exactConditionalP(pair(current, baseline))).toBeCloseTo(expected, 8);
  });

  it('takes exposures into account: half the count in half the time is no change', () => {
    expect(exactConditionalP(pair(500, 1000, [12, 24]))).toBeGreaterThan(0.9);
    expect(exactConditionalP(pair(500, 1000))).toBeLessThan(1e-9);
  });
});

describe('the dispersion of the past', () => {
  const dispersionOf = (past: ExposedPair[]) => historicalDispersion(past.map(countDeviation));

  it("is assumed without a past: 25 %, or as the rule's other segments have it", () => {
    expect(historicalDispersion([])).toEqual({ clustering: 1, tau: 0.25 });
    const family = { clustering: 2, tau: 0.08 };
    expect(historicalDispersion([], family)).toEqual(family);
  });

  it('is nothing where the past varies no more than Poisson', () => {
    expect(dispersionOf(repeated(40, (i) => pair(1000 + (i % 2), 1000)))).toEqual({
      clustering: 1,
      tau: 0,
    });
  });

  it('is a spread of whole periods where large counts vary', () => {
    const { tau } = dispersionOf(repeated(40, (i) => pair(i % 2 ? 130_000 : 76_923, 100_000)));
    expect(tau).toBeCloseTo(1.4826 * Math.log(1.3), 2);
  });

  it('is clustering where small counts vary', () => {
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

describe('the dispersed count test', () => {
  const noisy = repeated(20, (i) => pair(i % 2 ? 1300 : 770, 1000));

  it('finds a change that exceeds the usual spread', () => {
    expect(dispersedCountTest(pair(100, 1000), noisy).p).toBeLessThan(0.01);
  });

  it('lets pass what the exact test would call impossible, in a series that always moves so', () => {
    const change = pair(750, 1000);
    expect(exactConditionalP(change)).toBeLessThan(1e-8);
    expect(dispersedCountTest(change, noisy).p).toBeGreaterThan(0.05);
  });

  it('hears a large surge in a series whose few and clustered events taught it nothing else', () => {
    const counts = [0, 11, 8, 5, 3, 12, 6, 9, 2, 7];
    const few = repeated(40, (i) => pair(counts[(i + 1) % 10] ?? 0, counts[i % 10] ?? 0));
    expect(dispersedCountTest(pair(12, 3), few).p).toBeGreaterThan(0.05);
    expect(dispersedCountTest(pair(160, 6), few).p).toBeLessThan(0.02);
  });

  it('is symmetric: a rise is as surprising as the fall that undoes it', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.nat(5000), (a, b) => {
        const [rise, fall] = [dispersedCountTest(pair(a, b), noisy), dispersedCountTest(pair(b, a), noisy)];
        expect(rise.z).toBeCloseTo(-fall.z, 9);
        expect(rise.p).toBeCloseTo(fall.p, 9);
        expect(rise.p).toBeGreaterThanOrEqual(0);
        expect(rise.p).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is surer the larger the fall', () => {
    const ps = [900, 700, 500, 300, 100, 0].map(
      (current) => dispersedCountTest(pair(current, 1000), noisy).p,
    );
    expect(ps).toEqual(ps.toSorted((a, b) => b - a));
  });

  it('takes a full stop of a modest count for what it is, even without history', () => {
    expect(dispersedCountTest(pair(0, 60), []).p).toBeLessThan(0.001);
    expect(dispersedCountTest(pair(0, 3), []).p).toBeGreaterThan(0.01);
  });

  it('is finite for zeros', () => {
    expect(countDeviation(pair(0, 0)).change).toBe(0);
    expect(dispersedCountTest(pair(0, 0), []).p).toBe(1);
  });
});

describe('the deviation of two means', () => {
  const seconds = (sessions: number, mean: number) => ({ amount: sessions * mean, exposure: sessions });

  it('has the chance of the sessions, however many seconds they have', () => {
    const means = { current: seconds(3, 60), baseline: seconds(1000, 120) };
    expect(meanDeviation(means).chance).toBeCloseTo(1 / 3 + 1 / 1000, 9);
    expect(meanDeviation(means).change).toBe(countDeviation(means).change);
  });

  it('is that of the events where most sessions have none', () => {
    const rages = { current: seconds(100, 0.3), baseline: seconds(400, 0.1) };
    expect(meanDeviation(rages)).toEqual(countDeviation(rages));
  });
});
