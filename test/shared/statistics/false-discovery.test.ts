import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { discoveriesAmong, type FalseDiscoveryMethod } from '../../../shared/statistics/false-discovery.ts';

const evaluated = (ps: number[], q: number, method?: FalseDiscoveryMethod) =>
  discoveriesAmong(
    ps.map((p) => ({ p })),
    q,
    method,
  );
const found = (...options: Parameters<typeof evaluated>) =>
  evaluated(...options).map(({ isDiscovery }) => isDiscovery);

const somePs = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 50 });

describe('discoveriesAmong', () => {
  it.each([
    { says: 'nothing without tests', ps: [], q: 0.05, expected: [] },
    { says: 'a single test at its own p-value', ps: [0.05], q: 0.05, expected: [true] },
    {
      says: 'nothing if only one of two would pass alone',
      ps: [0.04, 0.9],
      q: 0.05,
      expected: [false, false],
    },
    { says: 'both of two that pass together', ps: [0.04, 0.05], q: 0.05, expected: [true, true] },
    {
      says: 'a p-value above its threshold if a larger one passes',
      ps: [0.01, 0.3, 0.02, 0.03],
      q: 0.05,
      expected: [true, false, true, true],
    },
  ])('finds $says', ({ ps, q, expected }) => {
    expect(found(ps, q)).toEqual(expected);
  });

  it('adjusts p-values upwards, keeps their ranks, and ignores the input order', () => {
    fc.assert(
      fc.property(somePs, fc.constantFrom('benjamini-hochberg', 'benjamini-yekutieli'), (ps, method) => {
        const adjusted = evaluated(ps, 0.05, method).map(({ adjustedP }) => adjustedP);
        ps.forEach((p, i) => {
          expect(adjusted[i]).toBeGreaterThanOrEqual(p);
          expect(adjusted[i]).toBeLessThanOrEqual(1);
          ps.forEach((other, j) => {
            if (p < other) expect(adjusted[i]).toBeLessThanOrEqual(adjusted[j] ?? 0);
          });
        });
        expect(evaluated(ps.toReversed(), 0.05, method).map(({ adjustedP }) => adjustedP)).toEqual(
          adjusted.toReversed(),
        );
      }),
    );
  });
});
