import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dispersedCountTest } from '../../../shared/statistics/counts.ts';
import { type Ratio, type RatioPair, ratioTest } from '../../../shared/statistics/ratios.ts';

const against = (current: [number, number], baseline: [number, number]): RatioPair => {
  const ratio = ([of, to]: [number, number]): Ratio => ({ of, to });
  return { current: ratio(current), baseline: ratio(baseline) };
};

const repeated = (count: number, make: (i: number) => RatioPair) =>
  Array.from({ length: count }, (_, i) => make(i));

/** A share of about 10% of 2,000 that varies by a few percent from day to day. */
const expectedRange = repeated(40, (i) => against([200 + (i % 7) * 3, 2000], [209 - (i % 5) * 4, 2000]));

describe('ratioTest', () => {
  it('finds a share that halves, and ignores a small change', () => {
    expect(ratioTest(against([100, 2000], [205, 2000]), expectedRange).p).toBeLessThan(0.001);
    expect(ratioTest(against([195, 2000], [205, 2000]), expectedRange).p).toBeGreaterThan(0.1);
  });

  it('is exact only if a cell expects fewer than five', () => {
    expect(ratioTest(against([3, 100], [6, 100]), expectedRange).exactP).not.toBeNull();
    expect(ratioTest(against([4, 100], [6, 100]), expectedRange).exactP).toBeNull();
  });

  it('does not depend on the denominator if the share is equal', () => {
    const { p, difference } = ratioTest(against([50, 500], [200, 2000]), expectedRange);
    expect(p).toBeGreaterThan(0.5);
    expect(difference?.value).toBeCloseTo(0, 12);
  });

  it('ignores a large change in a share that always varies as much', () => {
    const wild = repeated(40, (i) => against([i % 2 ? 300 : 150, 2000], [200 + (i % 9) * 9, 2000]));
    const { p, difference } = ratioTest(against([150, 2000], [225, 2000]), wild);
    expect(difference?.high).toBeLessThan(0);
    expect(p).toBeGreaterThan(0.05);
  });

  it('treats a rise of failures like the mirrored fall of successes', () => {
    const test = ratioTest(against([9700, 10_000], [9900, 10_000]), []);
    const mirrored = ratioTest(against([300, 10_000], [100, 10_000]), []);
    expect(test.z).toBeCloseTo(-mirrored.z, 9);
    expect(test.p).toBeLessThan(0.01);
  });

  it("has no smaller p than Fisher's test for small counts", () => {
    const { p, exactP } = ratioTest(against([0, 12], [4, 14]), expectedRange);
    expect(exactP).toBeCloseTo(0.0996, 3);
    expect(p).toBeGreaterThanOrEqual(exactP ?? 1);
    expect(ratioTest(against([100, 2000], [205, 2000]), expectedRange).exactP).toBeNull();
  });

  it('tests a ratio above 1 as a rate', () => {
    const pair = against([180, 100], [230, 100]);
    const { difference, exactP, ...test } = ratioTest(pair, []);
    expect(difference).toBeNull();
    expect(exactP).toBeNull();
    expect(test).toEqual(
      dispersedCountTest(
        { current: { amount: 180, exposure: 100 }, baseline: { amount: 230, exposure: 100 } },
        [],
      ),
    );
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
        const { low, value, high } = there.difference ?? { low: Number.NaN, value: 0, high: 0 };
        expect(low).toBeLessThanOrEqual(value);
        expect(high).toBeGreaterThanOrEqual(value);
      }),
    );
  });
});
