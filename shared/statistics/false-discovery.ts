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
 * the order of the tests.
 */
export function discoveriesAmong<Test extends { p: number }>(
  tests: readonly Test[],
  q: number,
  method: FalseDiscoveryMethod = 'benjamini-hochberg',
): (Test & Discovery)[] {
  const penalty = method === 'benjamini-hochberg' ? 1 : harmonic(tests.length);
  const evaluated = tests.map((test) => ({ ...test, adjustedP: 1, isDiscovery: false }));
  let adjustedP = 1;
  evaluated
    .toSorted((one, other) => other.p - one.p)
    .forEach((test, larger) => {
      adjustedP = Math.min(adjustedP, test.p * ((tests.length * penalty) / (tests.length - larger)));
      Object.assign(test, { adjustedP, isDiscovery: adjustedP <= q });
    });
  return evaluated;
}

function harmonic(number: number): number {
  let sum = 0;
  for (let k = 1; k <= number; k++) sum += 1 / k;
  return sum;
}
