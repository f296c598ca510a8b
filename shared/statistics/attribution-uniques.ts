import {
  type Attribution,
  type Driver,
  isMoreThanItsSize,
  LEAST_SHARE,
  LEAST_SHARE_BESIDE,
  MOST_DRIVERS,
} from './attribution-driver.ts';
import { type Expectation, gainOf, standsOut } from './attribution-gain.ts';

/** Number of unique users (or other entities) with these values, counted separately from other values. */
export interface UniqueCount {
  /** By dimension. */
  values: Readonly<Record<string, string>>;
  current: number;
  /** Covers a period as long as the current one. */
  baseline: number;
}

/** A further value is a driver if its score is at least this share of the first one's. */
const LEAST_GAIN_BESIDE = 0.4;

type Ranked = Driver & { score: number; isApart: boolean };

/**
 * The values that drove a count of unique users. A user with two values counts for both, so counts are not summed:
 * each is compared with the whole, and shares can add up to more than 1. `counts` may combine counts of one dimension
 * with counts of several, in any order.
 */
export function attributeUniques(
  counts: readonly UniqueCount[],
  whole: { current: number; baseline: number },
): Attribution {
  const siblings = new Map([...Map.groupBy(counts, dimensionsOf)].map(([key, { length }]) => [key, length]));
  const ranked = counts
    .map((count): Ranked => {
      const part = { amount: count.current, expected: Math.max(1, count.baseline) };
      const choices = siblings.get(dimensionsOf(count)) ?? 1;
      const score = gainOf([part], 0) - Math.log(choices);
      return { ...driverOf(count, whole), score, isApart: standsOut(part, withoutIt(count, whole), choices) };
    })
    .filter(({ score, shareOfChange }) => score > 0 && shareOfChange >= LEAST_SHARE_BESIDE)
    .filter(({ shareOfChange, shareOfBase }) => isMoreThanItsSize(shareOfChange, shareOfBase))
    .toSorted((a, b) => b.score - a.score || (JSON.stringify(a.values) < JSON.stringify(b.values) ? -1 : 1));
  const causes = ranked.filter(({ shareOfChange }) => shareOfChange >= LEAST_SHARE);
  const first = causes.find(({ isApart }) => isApart) ?? causes[0];
  if (!first) return { drivers: [], opposed: null, score: 0, isApart: false };
  const drivers = ranked
    .filter((each) => dimensionsOf(each) === dimensionsOf(first))
    .filter((each) => each === first || each.score >= LEAST_GAIN_BESIDE * first.score)
    .filter((each) => each.isApart === first.isApart)
    .toSorted((a, b) => Number(b === first) - Number(a === first))
    .slice(0, MOST_DRIVERS)
    .map(({ score: _, isApart: __, ...driver }) => driver);
  return { drivers, opposed: null, score: first.score, isApart: first.isApart };
}

/** The users without this value: a lower bound for the users with other values, because some have several. */
function withoutIt(count: UniqueCount, whole: { current: number; baseline: number }): Expectation {
  return {
    amount: Math.max(0, whole.current - count.current),
    expected: Math.max(0, whole.baseline - count.baseline),
  };
}

function driverOf(count: UniqueCount, whole: { current: number; baseline: number }): Driver {
  const { current, baseline } = count;
  const change = whole.current - whole.baseline;
  const shareOfBase = whole.baseline > 0 ? Math.min(1, baseline / whole.baseline) : 0;
  const shareNow = whole.current > 0 ? Math.min(1, current / whole.current) : 0;
  return {
    kind: 'unique',
    ...count,
    // One value alone cannot explain more than the whole change.
    shareOfChange: change === 0 ? 0 : Math.min(1, (current - baseline) / change),
    shareOfBase,
    shareNow,
  };
}

function dimensionsOf({ values }: Pick<UniqueCount, 'values'>): string {
  return JSON.stringify(Object.keys(values).toSorted());
}
