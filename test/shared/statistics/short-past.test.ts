import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countDeviation } from '../../../shared/statistics/counts.ts';
import type { Deviation } from '../../../shared/statistics/deviation.ts';
import { dispersedTest, historicalDispersion } from '../../../shared/statistics/dispersion.ts';

const deviation = (current: number, baseline: number): Deviation =>
  countDeviation({
    current: { amount: current, exposure: 24 },
    baseline: { amount: baseline, exposure: 24 },
  });

/** Pairs of large counts that alternately rise and fall by the factor `by`. */
const alternating = (pairs: number, by: number): Deviation[] =>
  Array.from({ length: pairs }, (_, i) => deviation(i % 2 ? 100_000 * by : 100_000 / by, 100_000));

const tau = (past: Deviation[]) => historicalDispersion(past).tau;

describe('historicalDispersion of a short past', () => {
  it('moves from the prior to the observed spread as the past grows', () => {
    const taus = [0, 2, 5, 8, 14, 21, 28, 40].map((pairs) => tau(alternating(pairs, 1.02)));
    expect(taus).toEqual(taus.toSorted((a, b) => b - a));
    expect(taus[0]).toBe(0.25);
    expect(taus.at(-1)).toBeCloseTo(1.4826 * Math.log(1.02), 2);
  });

  it('stays near the prior if all deviations have the same sign', () => {
    const odd = Array.from({ length: 7 }, () => deviation(200_000, 100_000));
    expect(tau(odd)).toBeCloseTo(0.25, 3);
    expect(tau(alternating(7, 2))).toBeGreaterThan(0.35);
  });

  it('exceeds the prior by less than half after one odd week', () => {
    const weeks = [...Array(7).fill(deviation(100, 200)), ...Array(7).fill(deviation(200, 100))];
    expect(tau(weeks)).toBeLessThan(1.5 * 0.25);
  });

  it('gives a finite z and a positive p for any past', () => {
    const counts = fc.nat(100_000);
    fc.assert(
      fc.property(fc.array(fc.tuple(counts, counts), { maxLength: 60 }), counts, counts, (past, a, b) => {
        const test = dispersedTest(
          deviation(a, b),
          past.map(([now, then]) => deviation(now, then)),
        );
        expect(Number.isFinite(test.z)).toBe(true);
        expect(test.p).toBeGreaterThan(0);
        expect(test.p).toBeLessThanOrEqual(1);
      }),
    );
  });
});
