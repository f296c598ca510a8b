import { cellsOf } from '../../shared/statistics/attribution-cells.ts';
import { sum } from '../../shared/statistics/attribution-gain.ts';
import type { Case, CauseValues } from './cases.ts';

interface Value {
  cause: CauseValues;
  dimension: number;
  change: number;
  surprise: number;
}

/** Names the one value whose amount changed most. */
export function largestChange(each: Case): CauseValues[] {
  const [largest] = valuesOf(each).toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change));
  return largest ? [largest.cause] : [];
}

/** Adtributor's thresholds: the minimum share of the change that one value explains, and that all named values explain. */
const LEAST_EXPLAINED = 0.1;
const EXPLAINED_TOGETHER = 0.67;

/**
 * Adtributor (Bhagwan et al., NSDI 2014). In each dimension, takes the most surprising values until they explain enough
 * of the change. Names those of the dimension with the highest total surprise.
 */
export function adtributor(each: Case): CauseValues[] {
  const values = valuesOf(each);
  const change = sum(each.table.leaves, ({ current, baseline }) => current.amount - baseline.amount);
  const sets = [...Map.groupBy(values, ({ dimension }) => dimension).values()].flatMap((members) => {
    const named: Value[] = [];
    let explained = 0;
    for (const value of members.toSorted((a, b) => b.surprise - a.surprise)) {
      if (value.change / change <= LEAST_EXPLAINED) continue;
      named.push(value);
      explained += value.change / change;
      if (explained > EXPLAINED_TOGETHER)
        return [{ named, surprise: sum(named, ({ surprise }) => surprise) }];
    }
    return [];
  });
  const [best] = sets.toSorted((a, b) => b.surprise - a.surprise);
  return best ? best.named.map(({ cause }) => cause) : [];
}

function valuesOf({ table: { dimensions, leaves } }: Case): Value[] {
  const before = sum(leaves, ({ baseline }) => baseline.amount);
  const now = sum(leaves, ({ current }) => current.amount);
  return cellsOf(leaves, dimensions.length, 1).flatMap(
    ({ places: [place = 0], values: [value = ''], leaves: own }) => {
      const baseline = sum(own, (leaf) => leaf.baseline.amount);
      const current = sum(own, (leaf) => leaf.current.amount);
      const surprise = surpriseOf(baseline / before, current / now);
      return [
        {
          cause: { [dimensions[place] ?? '']: value },
          dimension: place,
          change: current - baseline,
          surprise,
        },
      ];
    },
  );
}

/**
 * A part's contribution to the Jensen-Shannon divergence between the shares before and the shares now, in nats:
 * the surprise of Adtributor (Bhagwan et al., NSDI 2014).
 */
function surpriseOf(shareOfBase: number, shareNow: number): number {
  const middle = (shareOfBase + shareNow) / 2;
  const term = (share: number) => (share > 0 ? (share / 2) * Math.log(share / middle) : 0);
  return Math.max(0, term(shareOfBase) + term(shareNow));
}
