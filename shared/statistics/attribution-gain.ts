import type { Valued } from './attribution-cells.ts';

/** A figure of one period: its amount, and the weight that divides it in a mean. Counts ignore the weight. */
export interface Part {
  amount: number;
  weight: number;
}

/** A row of the finest breakdown. Leaves do not overlap, and their sum is the whole. */
export interface Leaf extends Valued {
  current: Part;
  /** Covers a period as long as the current one. */
  baseline: Part;
}

/** An amount, and its expected value if nothing changed. */
export interface Expectation {
  amount: number;
  expected: number;
}

/** Weight of the prior, as an amount: a leaf with this expected amount is shrunk halfway towards the prior. */
const PRIOR = 0.2;

/**
 * Counts with their expected values. A small baseline is a noisy estimate, so it is shrunk towards the product of the
 * shares that the leaf's values have of the whole.
 */
export function expectedCounts<L extends Leaf>(leaves: readonly L[]): (L & Expectation)[] {
  const total = Math.max(
    1,
    sum(leaves, ({ baseline }) => baseline.amount),
  );
  const shares = (leaves[0]?.values ?? []).map((_, place) => {
    const groups = Map.groupBy(leaves, ({ values }) => values[place]);
    const amountOf = (group: readonly L[]) => sum(group, ({ baseline }) => baseline.amount) + PRIOR;
    const whole = total + PRIOR * groups.size;
    return new Map([...groups].map(([value, group]) => [value, amountOf(group) / whole]));
  });
  return leaves.map((leaf) => {
    const independent = shares.reduce(
      (product, share, place) => product * (share.get(leaf.values[place]) ?? 0),
      total,
    );
    const expected = (leaf.baseline.amount + PRIOR) * (independent / (independent + PRIOR));
    return { ...leaf, amount: leaf.current.amount, expected };
  });
}

/**
 * The amounts of means with their expected values at their current weights. A small baseline is shrunk towards the
 * overall mean. At least one leaf must have a baseline with a weight.
 */
export function expectedTotals<L extends Leaf>(leaves: readonly L[]): (L & Expectation)[] {
  const amount = sum(leaves, ({ baseline }) => baseline.amount);
  const mean = Math.max(amount, PRIOR) / sum(leaves, ({ baseline }) => baseline.weight);
  // Seconds per session vary about as much as their mean. In units of that mean, their variance is about a count's.
  const unit = Math.max(1, mean);
  const prior = { amount: PRIOR * unit, weight: (PRIOR * unit) / mean };
  return leaves.map((leaf) => {
    const { current, baseline } = leaf;
    const rate = (baseline.amount + prior.amount) / (baseline.weight + prior.weight);
    return { ...leaf, amount: current.amount / unit, expected: (rate * current.weight) / unit };
  });
}

/**
 * The log likelihood ratio of "all leaves changed by one factor" to "no leaf changed": a scan statistic with the
 * negative binomial likelihood. `heterogeneity` is the variance of the factor between leaves: with it, a few large
 * leaves do not decide for many. With 0, the likelihood is Poisson. At least 0.
 */
export function gainOf(leaves: readonly Expectation[], heterogeneity: number): number {
  const factor = commonFactor(leaves, heterogeneity);
  const gain = sum(leaves, (leaf) => logLikelihoodRatio(leaf, factor, heterogeneity));
  return Math.max(0, gain);
}

/** Variance of the log ratio between periods that parts of one series have beyond chance, whatever their size. */
const USUAL_VARIANCE = 0.15 ** 2;

/** Minimum log likelihood ratio for a part to stand out, after the penalty for the search. */
const LEAST_APART = 2;

/**
 * Whether a part changed differently from the other parts, beyond the normal variation between parts. Tests the log
 * likelihood ratio of two factors to one common factor, minus the log of the number of candidate parts (`choices`).
 */
export function standsOut(part: Expectation, others: Expectation, choices: number): boolean {
  const gain = (leaves: readonly Expectation[]) => gainOf(leaves, USUAL_VARIANCE);
  const apart = gain([part]) + gain([others]) - gain([part, others]);
  return apart - Math.log(choices) >= LEAST_APART;
}

/** Maximum number of fixed-point iterations for the maximum likelihood factor. Most end after a few. */
const STEPS = 25;

function commonFactor(leaves: readonly Expectation[], heterogeneity: number): number {
  let factor = 1;
  for (let step = 0; step < STEPS; step++) {
    let [amount, expected] = [0, 0];
    for (const leaf of leaves) {
      const weight = 1 / (1 + heterogeneity * factor * leaf.expected);
      amount += weight * leaf.amount;
      expected += weight * leaf.expected;
    }
    const before = factor;
    factor = expected > 0 ? amount / expected : 1;
    if (Math.abs(factor - before) <= 1e-6 * before) break;
  }
  return factor;
}

function logLikelihoodRatio(
  { amount, expected }: Expectation,
  factor: number,
  heterogeneity: number,
): number {
  const moved = amount === 0 ? 0 : amount * Math.log(factor);
  if (heterogeneity === 0) return moved - (factor - 1) * expected;
  const ratio = (1 + heterogeneity * factor * expected) / (1 + heterogeneity * expected);
  return moved - (amount + 1 / heterogeneity) * Math.log(ratio);
}

export function sum<T>(items: readonly T[], amountOf: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += amountOf(item);
  return total;
}
