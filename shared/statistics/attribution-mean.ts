import type { Cell } from './attribution-cells.ts';
import { LEAST_SHARE, LEAST_SHARE_BESIDE, MOST_DRIVERS } from './attribution-driver.ts';
import { type Leaf, type Part, sum } from './attribution-gain.ts';

/** How a part of the whole moved the overall mean, in the mean's unit. */
export interface MeanShift {
  /** Mean weight times change of its own mean. */
  within: number;
  /** Change of its weight times how far its own mean lies from the overall one. */
  mix: number;
}

/** What a part of the whole is in one period. */
interface Standing {
  /** `null` without weight. */
  mean: number | null;
  /** Its part of the whole weight. */
  share: number;
}

/** Both opposed, the smaller at least this part of the larger: less is in every series. */
const LEAST_OPPOSITION = 0.1;

/** Where the mix makes up more of a change than this, it and not any part's own mean is what drove it. */
const MOSTLY = 0.5;

/** Baseline and current. */
export function standingsOf(part: readonly Leaf[], whole: readonly Leaf[]): [Standing, Standing] {
  const standing = (period: 'baseline' | 'current'): Standing => {
    const { amount, weight } = totalOf(part, period);
    const all = totalOf(whole, period).weight;
    return { mean: weight > 0 ? amount / weight : null, share: all > 0 ? weight / all : 0 };
  };
  return [standing('baseline'), standing('current')];
}

export function totalOf(leaves: readonly Leaf[], period: 'baseline' | 'current'): Part {
  return {
    amount: sum(leaves, (leaf) => leaf[period].amount),
    weight: sum(leaves, (leaf) => leaf[period].weight),
  };
}

/**
 * How a part moved the overall mean. Over parts that make up the whole, all `within` and `mix` add up to its change.
 * A part that had no weight in one of the periods changed the mix alone. The whole must have a weight in both.
 */
export function meanShiftOf(part: readonly Leaf[], whole: readonly Leaf[]): MeanShift {
  const [before, now] = standingsOf(part, whole);
  const meanBefore = before.mean ?? now.mean ?? 0;
  const meanNow = now.mean ?? before.mean ?? 0;
  const overall = sum(standingsOf(whole, whole), ({ mean }) => mean ?? 0) / 2;
  return {
    within: ((before.share + now.share) / 2) * (meanNow - meanBefore),
    mix: (now.share - before.share) * ((meanBefore + meanNow) / 2 - overall),
  };
}

/** The change of the overall mean, split by the values of one dimension. */
export interface MeanSplit extends MeanShift {
  place: number;
  parts: (MeanShift & { cell: Cell<Leaf> })[];
}

/** One split by each of the dimensions. */
export function meanSplitsOf(leaves: readonly Leaf[], dimensions: number): MeanSplit[] {
  return Array.from({ length: dimensions }, (_, place) => {
    const groups = [...Map.groupBy(leaves, ({ values }) => values[place] ?? null)];
    const parts = groups.map(([value, group]) => ({
      cell: {
        places: [place],
        values: value === null ? [] : [value],
        leaves: group,
        siblings: groups.length,
      },
      ...meanShiftOf(group, leaves),
    }));
    return { place, parts, within: sum(parts, ({ within }) => within), mix: sum(parts, ({ mix }) => mix) };
  });
}

/**
 * The split in which what moved within the values and what the mix of values did are opposed most (Simpson's paradox,
 * where the mix prevails). `null` where they are not.
 */
export function opposedSplit(splits: readonly MeanSplit[]): MeanSplit | null {
  const lesserOf = ({ within, mix }: MeanSplit) => Math.min(Math.abs(within), Math.abs(mix));
  const [most] = splits
    .filter(({ within, mix }) => within * mix < 0)
    .filter(
      (split) => lesserOf(split) >= LEAST_OPPOSITION * Math.max(Math.abs(split.within), Math.abs(split.mix)),
    )
    .toSorted((a, b) => lesserOf(b) - lesserOf(a));
  return most ?? null;
}

/** The values by whose weight the mean moved, the largest first, where some dimension's mix did most of it. */
export function mixCause(splits: readonly MeanSplit[]): Cell<Leaf>[] {
  const [split] = splits.toSorted((a, b) => shareOfMix(b) - shareOfMix(a));
  if (!split || shareOfMix(split) <= MOSTLY) return [];
  const shareOf = ({ mix }: MeanShift) => mix / (split.within + split.mix);
  const named = split.parts
    .filter(({ cell }) => cell.values.length > 0)
    .toSorted((a, b) => shareOf(b) - shareOf(a))
    .filter((part, i) => shareOf(part) >= (i === 0 ? LEAST_SHARE : LEAST_SHARE_BESIDE));
  return named.slice(0, MOST_DRIVERS).map(({ cell }) => cell);
}

function shareOfMix({ within, mix }: MeanShift): number {
  return mix / (within + mix);
}
