import type { Cell } from './attribution-cells.ts';
import { LEAST_SHARE, LEAST_SHARE_BESIDE, MOST_DRIVERS } from './attribution-driver.ts';
import { type Leaf, type Part, sum } from './attribution-gain.ts';

/** A part's effect on the overall mean, in the mean's unit. */
export interface MeanShift {
  /** Average share of the weight times the change of the part's mean. */
  within: number;
  /** Change of the share of the weight times the difference between the part's mean and the overall mean. */
  mix: number;
}

/** A part's mean and size in one period. */
interface MeanAndShare {
  /** `null` if the part has no weight. */
  mean: number | null;
  /** Its share of the total weight. */
  share: number;
}

/** Minimum ratio of the smaller to the larger of two opposite effects. Every series has less opposition than this. */
const LEAST_OPPOSITION = 0.1;

/** If the mix effect is a larger share of the change than this, the mix is the cause of the change. */
const MOSTLY = 0.5;

/** `[baseline, current]`. */
export function meansAndShares(part: readonly Leaf[], whole: readonly Leaf[]): [MeanAndShare, MeanAndShare] {
  const meanAndShare = (period: 'baseline' | 'current'): MeanAndShare => {
    const { amount, weight } = totalOf(part, period);
    const all = totalOf(whole, period).weight;
    return { mean: weight > 0 ? amount / weight : null, share: all > 0 ? weight / all : 0 };
  };
  return [meanAndShare('baseline'), meanAndShare('current')];
}

export function totalOf(leaves: readonly Leaf[], period: 'baseline' | 'current'): Part {
  return {
    amount: sum(leaves, (leaf) => leaf[period].amount),
    weight: sum(leaves, (leaf) => leaf[period].weight),
  };
}

/**
 * A part's effect on the overall mean. Over all parts, `within` and `mix` add up to the overall change. A part without
 * weight in one of the periods has only a mix effect. The whole must have a weight in both periods.
 */
export function meanShiftOf(part: readonly Leaf[], whole: readonly Leaf[]): MeanShift {
  const [before, now] = meansAndShares(part, whole);
  const meanBefore = before.mean ?? now.mean ?? 0;
  const meanNow = now.mean ?? before.mean ?? 0;
  const overall = sum(meansAndShares(whole, whole), ({ mean }) => mean ?? 0) / 2;
  return {
    within: ((before.share + now.share) / 2) * (meanNow - meanBefore),
    mix: (now.share - before.share) * ((meanBefore + meanNow) / 2 - overall),
  };
}

/** The change of the overall mean, decomposed by the values of one dimension. */
export interface MeanSplit extends MeanShift {
  place: number;
  parts: (MeanShift & { cell: Cell<Leaf> })[];
}

/** One split per dimension. */
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
 * The split in which the within effect and the mix effect oppose each other most; `null` if they agree in all splits.
 * If the mix effect is the larger one, this is Simpson's paradox.
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

/** The values whose weights changed the mean, largest effect first. Empty if no dimension's mix caused most of it. */
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
