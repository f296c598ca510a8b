import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tailOfPast } from '../../../shared/statistics/past-tail.ts';

/** Spread like 56 normal deviations. The largest is 2.6. */
const NORMAL = Array.from({ length: 56 }, (_, i) => 2.6 * Math.sin((i / 56) ** 2 * (Math.PI / 2)) ** 0.9);

describe('tailOfPast', () => {
  it.each([
    { of: 'no past', past: [] },
    { of: 'seven pairs', past: [1, -2, 3, -4, 5, -6, 7] },
    { of: 'a past without deviations', past: Array.from({ length: 56 }, () => 0) },
  ])("is Student's t with 5 degrees of freedom for $of", ({ past }) => {
    expect(tailOfPast(past)(4.0321)).toBeCloseTo(0.01, 5);
  });

  it('is lighter the more pairs the spread comes from, up to 8 degrees of freedom', () => {
    const tails = [8, 10, 14, 14].map((pairs) => tailOfPast(NORMAL, pairs)(4));
    expect(tails).toEqual(tails.toSorted((a, b) => b - a));
    expect(tailOfPast(NORMAL, 14)(3.3554)).toBeCloseTo(0.01, 5);
  });

  it('interpolates between 14 and 28 pairs', () => {
    const [none, half, all] = [14, 21, 28].map((pairs) => tailOfPast(NORMAL, pairs)(2)) as [
      number,
      number,
      number,
    ];
    expect(half).toBeCloseTo((none + all) / 2, 9);
    expect(all).toBe(tailOfPast(NORMAL)(2));
  });

  it('is the rank within a long past', () => {
    const past = Array.from({ length: 99 }, (_, i) => (i % 2 ? 1 : -1) * 0.1 * (i + 1));
    expect(tailOfPast(past)(5.05)).toBeCloseTo(0.5, 12);
    expect(tailOfPast(past)(-8.05)).toBeCloseTo(0.2, 12);
  });

  it('is heavier for a volatile past than for a normal one', () => {
    const wild = NORMAL.map((z) => z * (1 + z));
    expect(tailOfPast(NORMAL)(4)).toBeLessThan(0.01);
    expect(tailOfPast(wild)(4)).toBeGreaterThan(0.05);
  });

  it.each([
    { of: 'a full stop and its end', incident: [-80, 80] },
    { of: 'an unlabelled fall and its end', incident: [-10, 10] },
  ])('stays low for values of the same size after $of', ({ incident }) => {
    const tail = tailOfPast([...NORMAL.slice(2), ...incident]);
    for (const z of incident) expect(tail(z)).toBeLessThan(0.01);
  });

  it('never rises and is never 0 for any past', () => {
    const sizes = fc.double({ min: -50, max: 50, noNaN: true });
    fc.assert(
      fc.property(fc.array(sizes, { maxLength: 80 }), fc.array(sizes, { maxLength: 10 }), (past, zs) => {
        const tail = tailOfPast(past);
        const outwards = [0, ...zs.map(Math.abs).toSorted((a, b) => a - b), 1e6];
        const ps = outwards.map(tail);
        expect(ps[0]).toBe(1);
        expect(ps).toEqual(ps.toSorted((a, b) => b - a));
        expect(ps.at(-1)).toBeGreaterThan(0);
        expect(ps).toEqual(outwards.map((z) => tail(-z)));
      }),
    );
  });
});
