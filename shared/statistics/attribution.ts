import type { Cell } from './attribution-cells.ts';
import { type Attribution, type Driver, isMoreThanItsSize } from './attribution-driver.ts';
import { expectedCounts, expectedTotals, type Leaf } from './attribution-gain.ts';
import {
  meanShiftOf,
  meanSplitsOf,
  meansAndShares,
  mixCause,
  opposedSplit,
  totalOf,
} from './attribution-mean.ts';
import { searchCause } from './attribution-search.ts';

/** The figures of both periods, in leaves that do not overlap and add up to the whole. */
export interface Table {
  dimensions: readonly string[];
  leaves: readonly Leaf[];
}

const UNEXPLAINED: Attribution = { drivers: [], opposed: null, score: 0, isApart: false };

/**
 * The values of at most `depth` dimensions that drove a count from baseline to current. The amounts of the leaves must
 * add up to the whole: use `attributeUniques` for unique users. No drivers if no value explains more than its size
 * does. The result does not depend on the order of the leaves.
 */
export function attributeCount({ dimensions, leaves: given }: Table, depth = 2): Attribution {
  const leaves = given
    .filter(({ current, baseline }) => current.amount + baseline.amount > 0)
    .toSorted(byValues);
  const [before, now] = [totalOf(leaves, 'baseline').amount, totalOf(leaves, 'current').amount];
  const cause = searchCause(expectedCounts(leaves), dimensions.length, depth);
  if (!cause || now === before) return UNEXPLAINED;
  const drivers = cause.cells.map((cell): Driver => {
    const baseline = totalOf(cell.leaves, 'baseline').amount;
    const current = totalOf(cell.leaves, 'current').amount;
    return {
      kind: 'count',
      values: namesOf(cell, dimensions),
      current,
      baseline,
      shareOfChange: (current - baseline) / (now - before),
      shareOfBase: portion(baseline, before),
      shareNow: portion(current, now),
    };
  });
  const { score, isApart } = cause;
  return { drivers: drivers.filter(movedAlong), opposed: null, score, isApart };
}

/**
 * The search compares with expected amounts, for means at current weights. If the whole hardly changed, that comparison
 * can have the opposite sign of the change itself.
 */
function movedAlong({ shareOfChange }: Driver): boolean {
  return shareOfChange > 0;
}

/**
 * The values that drove a mean or a ratio (amount per weight): those whose mean changed or, if the mix effect is more
 * than half of the change, those whose weight changed. Sets `opposed` if the within and mix effects oppose each other.
 */
export function attributeMean({ dimensions, leaves: given }: Table, depth = 2): Attribution {
  const leaves = given
    .filter(({ current, baseline }) => current.weight + baseline.weight > 0)
    .toSorted(byValues);
  const [before, now] = meansAndShares(leaves, leaves);
  if (before.mean === null || now.mean === null || before.mean === now.mean) return UNEXPLAINED;
  const change = now.mean - before.mean;

  const splits = meanSplitsOf(leaves, dimensions.length);
  const mixed = mixCause(splits);
  const cause =
    mixed.length > 0
      ? { kind: 'mix' as const, cells: mixed, score: 0, isApart: true }
      : { kind: 'within' as const, ...searchCause(expectedTotals(leaves), dimensions.length, depth) };
  const opposed = opposedSplit(splits);
  const drivers = (cause.cells ?? [])
    .map((cell): Driver => {
      const { effect, ...driver } = meanDriverOf(cell.leaves, leaves, cause.kind);
      return { ...driver, values: namesOf(cell, dimensions), shareOfChange: effect / change };
    })
    .filter(movedAlong);
  return {
    drivers: isMoreThanItsWeight(drivers) ? drivers : [],
    opposed: opposed && {
      dimension: dimensions[opposed.place] ?? '',
      within: opposed.within,
      mix: opposed.mix,
    },
    score: cause.score ?? 0,
    isApart: cause.isApart ?? false,
  };
}

/**
 * Whether the `within` drivers together explain more than their share of the weight. The search compares with the share
 * of the amount, but readers see the share of the weight. If the baseline amount is 0, all shares of it are 0.
 */
function isMoreThanItsWeight(drivers: readonly Driver[]): boolean {
  const within = drivers.filter(({ kind }) => kind === 'within');
  const sumOf = (of: (driver: Driver) => number) => within.reduce((sum, driver) => sum + of(driver), 0);
  const weight = sumOf(({ shareOfBase, shareNow }) => (shareOfBase + shareNow) / 2);
  return (
    within.length === 0 ||
    isMoreThanItsSize(
      sumOf(({ shareOfChange }) => shareOfChange),
      weight,
    )
  );
}

function meanDriverOf(part: readonly Leaf[], whole: readonly Leaf[], kind: 'within' | 'mix') {
  const [baseline, current] = meansAndShares(part, whole);
  // A part that is new or gone has no mean in one of the periods, so only a mix effect.
  const own = baseline.mean === null || current.mean === null ? 'mix' : kind;
  return {
    kind: own,
    current: current.mean,
    baseline: baseline.mean,
    effect: meanShiftOf(part, whole)[own],
    shareOfBase: baseline.share,
    shareNow: current.share,
  };
}

function namesOf({ places, values }: Cell<Leaf>, dimensions: readonly string[]): Record<string, string> {
  return Object.fromEntries(places.map((place, i) => [dimensions[place] ?? '', values[i] ?? '']));
}

function portion(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

/** A fixed order, so that ties do not depend on the order of the input. */
function byValues(a: Leaf, b: Leaf): number {
  const [left, right] = [JSON.stringify(a.values), JSON.stringify(b.values)];
  return left < right ? -1 : left > right ? 1 : 0;
}
