/**
 * `benjamini-hochberg` holds for tests that are independent or move together (Benjamini and Hochberg 1995, Benjamini
 * and Yekutieli 2001), `benjamini-yekutieli` for any, at the price of being harder to pass by `ln(number) + 0.58`.
 */
export type FalseDiscoveryMethod = 'benjamini-hochberg' | 'benjamini-yekutieli';

/** Whether a test is rejected, and the smallest share of false discoveries at which it would be. */
export interface Discovery {
  adjustedP: number;
  isDiscovery: boolean;
}

/**
 * Which of the tests are rejected so that, of those rejected, a share of at most `q` is expected to be so by chance. In
 * the order of the p-values.
 */
export function discoveriesAmong(
  ps: readonly number[],
  q: number,
  method: FalseDiscoveryMethod = 'benjamini-hochberg',
): Discovery[] {
  const penalty = method === 'benjamini-hochberg' ? 1 : harmonic(ps.length);
  const discoveries = ps.map(() => ({ adjustedP: 1, isDiscovery: false }));
  const largestFirst = ps.map((p, at) => ({ p, at })).sort((one, other) => other.p - one.p);
  let adjustedP = 1;
  largestFirst.forEach(({ p, at }, larger) => {
    adjustedP = Math.min(adjustedP, p * ((ps.length * penalty) / (ps.length - larger)));
    discoveries[at] = { adjustedP, isDiscovery: adjustedP <= q };
  });
  return discoveries;
}

function harmonic(number: number): number {
  let sum = 0;
  for (let k = 1; k <= number; k++) sum += 1 / k;
  return sum;
}
