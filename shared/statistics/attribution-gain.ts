import type { Valued } from './attribution-cells.ts';

/** A figure of one period: its amount and the weight that it is over. Counts ignore the weight. */
export interface Part {
  amount: number;
  weight: number;
}

/** One of the finest rows there are; they do not overlap and together are the whole. */
export interface Leaf extends Valued {
  current: Part;
  /** Of a period as long as the current one. */
  baseline: Part;
}

/** An amount, and its expected value without a change. */
export interface Expectation {
  amount: number;
  expected: number;
}

/** A leaf's own baseline is believed as far as it outweighs this amount; for the rest the leaf is as the others are. */
const PRIOR = 0.2;

/**
 * Counts and what was to be expected of them. A small baseline says little, so it is drawn towards the product of the
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
    const usual = shares.reduce(
      (product, share, place) => product * (share.get(leaf.values[place]) ?? 0),
      total,
    );
    const expected = (leaf.baseline.amount + PRIOR) * (usual / (usual + PRIOR));
    return { ...leaf, amount: leaf.current.amount, expected };
  });
}

/**
 * The amounts of means and what was to be expected of them at their current weights. A small baseline is drawn
 * towards the overall mean. Some leaf must have a baseline with a weight.
 */
export function expectedTotals<L extends Leaf>(leaves: readonly L[]): (L & Expectation)[] {
  const amount = sum(leaves, ({ baseline }) => baseline.amount);
  const mean = Math.max(amount, PRIOR) / sum(leaves, ({ baseline }) => baseline.weight);
  // Seconds per session vary by their own size: counted in units of their mean, chance is about that of a count.
  const unit = Math.max(1, mean);
  const prior = { amount: PRIOR * unit, weight: (PRIOR * unit) / mean };
  return leaves.map((leaf) => {
    const { current, baseline } = leaf;
    const rate = (baseline.amount + prior.amount) / (baseline.weight + prior.weight);
    return { ...leaf, amount: current.amount / unit, expected: (rate * current.weight) / unit };
  });
}

/** The gain in likelihood if all of these leaves moved by one factor. */
export interface Gain {
  /** Log likelihood over that of no change; not below 0. */
  gain: number;
  factor: number;
}

/**
 * The gain of "all of these moved by one factor" over "nothing happened to them": a scan statistic on the negative
 * binomial likelihood. `heterogeneity` is the variance of each one's own factor: it keeps a few large leaves from
 * speaking for many. At 0 the likelihood is Poisson's.
 */
export function gainOf(leaves: readonly Expectation[], heterogeneity: number): Gain {
  const factor = commonFactor(leaves, heterogeneity);
  const gain = sum(leaves, (leaf) => logLikelihoodRatio(leaf, factor, heterogeneity));
  return { gain: Math.max(0, gain), factor };
}

/** Parts of one series differ by about this variance of the log from period to period, however much is counted. */
const USUAL_VARIANCE = 0.15 ** 2;

/** Log likelihood by which a part stands out less is no news, after the price of having searched for it. */
const LEAST_APART = 2;

/**
 * Whether a part of the whole moved otherwise than the others did, beyond what parts usually do: the log likelihood of
 * two factors over that of one for all, less the log of how many parts there were to choose from.
 */
export function standsOut(part: Expectation, others: Expectation, choices: number): boolean {
  const gain = (leaves: readonly Expectation[]) => gainOf(leaves, USUAL_VARIANCE).gain;
  const apart = gain([part]) + gain([others]) - gain([part, others]);
  return apart - Math.log(choices) >= LEAST_APART;
}

/** Fixed-point steps towards the likeliest factor; a few are enough. */
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
