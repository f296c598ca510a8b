/**
 * `benjamini-hochberg` is valid for independent or positively dependent tests (Benjamini and Hochberg 1995, Benjamini
 * and Yekutieli 2001). `benjamini-yekutieli` is valid for any tests, but its p-values are larger by a factor of about
 * `ln(number) + 0.58`.
 */
export type FalseDiscoveryMethod = 'benjamini-hochberg' | 'benjamini-yekutieli';

/** The result of one test: `isDiscovery`, and the smallest `q` at which it is one (`adjustedP`). */
export interface Discovery {
  adjustedP: number;
  isDiscovery: boolean;
}

/**
 * Controls the false discovery rate: the expected share of false discoveries among all discoveries is at most `q`.
 * Returns the results in the order of the tests.
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
