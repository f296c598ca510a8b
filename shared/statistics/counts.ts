import binomialCdf from '@stdlib/stats-base-dists-binomial-cdf';
import binomialPmf from '@stdlib/stats-base-dists-binomial-pmf';
import type { Deviation, Dispersion } from './deviation.ts';
import { type DispersedTest, dispersedTest } from './dispersion.ts';

/**
 * How much was seen and over how much: a count over hours, or the total of a mean (mean times weight) over its
 * weight. Only ratios of exposures matter, so any unit does.
 */
export interface Exposed {
  amount: number;
  exposure: number;
}

/** A period and its baseline; past ones at the same lag as the pair under test. */
export interface ExposedPair {
  current: Exposed;
  baseline: Exposed;
}

/**
 * The log ratio of two rates, with 1/2 added to each amount so that zero stays finite
 * (Anscombe's correction, Biometrika 43, 1956), and its variance if both amounts were Poisson and of one rate
 * (delta method). The rate is pooled over both, as in a score test: with each amount's own, a full stop would seem
 * less sure than a deep fall.
 */
export function countDeviation(pair: ExposedPair): Deviation {
  return { change: changeOf(pair), chance: chanceOf(pair.current, pair) + chanceOf(pair.baseline, pair) };
}

/**
 * The same of two means, whose exposures are the sessions or users that they are over. The seconds of a session are no
 * events of their own: chance is no less than if sessions varied by as much as their mean, which is `1 / n` for n.
 */
export function meanDeviation(pair: ExposedPair): Deviation {
  const chance = (of: Exposed) => Math.max(chanceOf(of, pair), 1 / of.exposure);
  return { change: changeOf(pair), chance: chance(pair.current) + chance(pair.baseline) };
}

function changeOf({ current, baseline }: ExposedPair): number {
  return (
    Math.log((current.amount + 0.5) / (baseline.amount + 0.5)) -
    Math.log(current.exposure / baseline.exposure)
  );
}

function chanceOf({ exposure }: Exposed, { current, baseline }: ExposedPair): number {
  const rate = (current.amount + baseline.amount) / (current.exposure + baseline.exposure);
  return 1 / (rate * exposure + 0.5);
}

/**
 * Whether a rate differs from its baseline by more than this series usually does from period to period:
 * `z = ln(rate ratio) / sqrt(tau^2 + c (1/(a' + 1/2) + 1/(b' + 1/2)))`, where c is the clustering and a' and b' are
 * the amounts that both periods would have at their pooled rate.
 *
 * The exact test of two Poisson rates rejects a quarter to three quarters of quiet periods on real series at a
 * nominal 1 %, because real counts vary more than Poisson; the excess is measured on the past, and so is its tail.
 */
export function dispersedCountTest(
  pair: ExposedPair,
  past: readonly ExposedPair[],
  assumed?: Dispersion,
): DispersedTest {
  return dispersedTest(countDeviation(pair), past.map(countDeviation), assumed);
}

/**
 * The textbook test of two Poisson counts: given their sum, the current one is binomial with its share of the
 * exposure. Two-sided mid-p (Lancaster 1961). Counts must be whole; it knows no dispersion, so it is shown and
 * never decides.
 */
export function exactConditionalP({ current, baseline }: ExposedPair): number {
  const n = current.amount + baseline.amount;
  if (n === 0) return 1;
  const hours = current.exposure + baseline.exposure;
  // Either tail is summed from its own end: 1 less the other would lose what is small.
  const tails = [current, baseline].map(({ amount, exposure }) => {
    const share = exposure / hours;
    return binomialCdf(amount, n, share) - binomialPmf(amount, n, share) / 2;
  });
  return Math.min(1, 2 * Math.min(...tails));
}
