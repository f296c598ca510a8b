import { describe, expect, it } from 'vitest';
import { betaCdf } from '../../../shared/statistics/beta.ts';
import { discoveriesAmong } from '../../../shared/statistics/false-discovery.ts';
import { tailOfStudent } from '../../../shared/statistics/past-tail.ts';
import { fisherP, type RatioPair } from '../../../shared/statistics/ratios.ts';
import reference from '../../fixtures/reference-values.json' with { type: 'json' };

/** Within 1e-10 of the reference, relative to it. */
function expectAgreement(value: number | undefined, expected: number) {
  expect(Math.abs((value ?? Number.NaN) - expected)).toBeLessThanOrEqual(1e-10 * Math.abs(expected));
}

const ratio = ([of = 0, to = 0]: number[]) => ({ of, to });
const ratios = (row: { current: number[]; baseline: number[] }): RatioPair => ({
  current: ratio(row.current),
  baseline: ratio(row.baseline),
});

describe(`agrees to ten digits with ${reference.madeWith}:`, () => {
  it.each(reference.student)("Student's t with $df degrees of freedom at $z", ({ z, df, cdf }) => {
    expectAgreement(tailOfStudent(df)(z) / 2, Math.min(cdf, 1 - cdf));
  });

  it.each(reference.binomial)('the binomial distribution, $k of $n at $p', ({ k, n, p, cdf, pmf }) => {
    const upTo = (most: number) => (most < 0 ? 0 : most >= n ? 1 : betaCdf(n - most, most + 1)(1 - p));
    expectAgreement(upTo(k), cdf);
    expectAgreement(upTo(k) - upTo(k - 1), pmf);
  });

  it.each(reference.fisher)("Fisher's exact test, $current against $baseline", (row) => {
    expectAgreement(fisherP(ratios(row)), row.p);
  });

  it.each(reference.falseDiscovery)('adjusted p-values of $ps', ({ ps, bh, by }) => {
    const tests = ps.map((p) => ({ p }));
    discoveriesAmong(tests, 0.05).forEach(({ adjustedP }, at) => {
      expectAgreement(adjustedP, bh[at] ?? 0);
    });
    discoveriesAmong(tests, 0.05, 'benjamini-yekutieli').forEach(({ adjustedP }, at) => {
      expectAgreement(adjustedP, by[at] ?? 0);
    });
  });
});
