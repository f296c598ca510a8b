import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countDeviation } from '../../../shared/statistics/counts.ts';
import { dispersedTest } from '../../../shared/statistics/dispersion.ts';
import {
  exactRatioP,
  type Ratio,
  type RatioPair,
  ratioDeviations,
} from '../../../shared/statistics/ratios.ts';

const against = (current: [number, number], baseline: [number, number]): RatioPair => {
  const ratio = ([of, to]: [number, number]): Ratio => ({ of, to });
  return { current: ratio(current), baseline: ratio(baseline) };
};

const repeated = (count: number, make: (i: number) => RatioPair) =>
  Array.from({ length: count }, (_, i) => make(i));

/** A share of about 10% of 2,000 that varies by a few percent from day to day. */
const expectedRange = repeated(40, (i) => against([200 + (i % 7) * 3, 2000], [209 - (i % 5) * 4, 2000]));

function ratioTest(pair: RatioPair, past: RatioPair[]) {
  const [deviation, ...earlier] = ratioDeviations(pair, past);
  return dispersedTest(deviation, earlier);
}

describe('the test of a ratio', () => {
  it('is exact only if a cell expects fewer than five', () => {
    expect(exactRatioP(against([3, 100], [6, 100]))).not.toBeNull();
    expect(exactRatioP(against([4, 100], [6, 100]))).toBeNull();
  });

  it('ignores a large change in a share that always varies as much', () => {
    const wild = repeated(40, (i) => against([i % 2 ? 300 : 150, 2000], [200 + (i % 9) * 9, 2000]));
    expect(ratioTest(against([150, 2000], [225, 2000]), wild).p).toBeGreaterThan(0.05);
  });

  it('treats a rise of failures like the mirrored fall of successes', () => {
    const test = ratioTest(against([9700, 10_000], [9900, 10_000]), []);
    const mirrored = ratioTest(against([300, 10_000], [100, 10_000]), []);
    expect(test.z).toBeCloseTo(-mirrored.z, 9);
    expect(test.p).toBeLessThan(0.01);
  });

  it("is Fisher's for small counts", () => {
    expect(exactRatioP(against([0, 12], [4, 14]))).toBeCloseTo(0.0996, 3);
    expect(exactRatioP(against([100, 2000], [205, 2000]))).toBeNull();
  });

  it('tests a ratio above 1 as a rate', () => {
    const pair = against([180, 100], [230, 100]);
    expect(exactRatioP(pair)).toBeNull();
    const rates = { current: { amount: 180, exposure: 100 }, baseline: { amount: 230, exposure: 100 } };
    expect(ratioTest(pair, [])).toEqual(dispersedTest(countDeviation(rates), []));
  });

  it('treats all ratios as rates if one past ratio exceeds 1', () => {
    const past = [...expectedRange, against([21, 20], [18, 20])];
    const [asShare, asRate] = [expectedRange, past].map((each) =>
      ratioTest(against([150, 2000], [205, 2000]), each),
    );
    expect(asRate?.z).not.toBeCloseTo(asShare?.z ?? 0, 6);
  });

  it('gives a valid p for any counts, symmetric in the two windows', () => {
    const ratio = fc.nat(2000).chain((to) => fc.tuple(fc.nat(to), fc.constant(to)));
    fc.assert(
      fc.property(ratio, ratio, fc.boolean(), (one, other, isYoung) => {
        const past = isYoung ? [] : expectedRange;
        const [there, back] = [ratioTest(against(one, other), past), ratioTest(against(other, one), past)];
        expect(there.p).toBeGreaterThan(0);
        expect(there.p).toBeLessThanOrEqual(1);
        expect(there.p).toBeCloseTo(back.p, 9);
      }),
    );
  });
});
