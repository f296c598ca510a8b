import studentCdf from '@stdlib/stats-base-dists-t-cdf';

/** A two-sided p-value of a standardised deviation: 1 at 0, never 0, and never rising with the size of `z`. */
export type Tail = (z: number) => number;

/** Fewer past pairs than this teach nothing: neighbouring windows stand in for them. */
export const MINIMUM_PAIRS = 1;

/** A series with fewer past pairs than this has little history. */
export const LITTLE_HISTORY = 8;

/** So many past pairs say nothing of the tail yet, and so many all of it; in between both are averaged. */
const PAIRS_OF_TAIL = { none: 14, all: 28 };

/**
 * Degrees of freedom: without a past the tails are heavy because the spread is a guess. Half of one for each pair
 * beyond 8.
 */
const UNLEARNED_FREEDOM = { least: 5, most: 8, upToPairs: 8, perPair: 0.5 };

/** What is believed of the tail before it is seen: it falls with this power of z, as if so many had been seen to. */
const PRIOR = { power: 2, weight: 2 };

/** Larger deviations are not noise, even outside known incidents: they must not make the next one normal. */
const FURTHEST_NOISE = 20;

/** A deviation beyond this many times the edge of the tail counts as this many: one alone must not stretch it. */
const FURTHEST_OF_TAIL = 3;

/**
 * How rare a deviation is, by the standardised past that it belongs to. Within the past p is the rank, `(1 + those as
 * large) / (1 + all)`. Of n past deviations the largest, as many as the fourth root of n, are taken for the tail; from
 * there outwards p falls with a power of z, which they teach (Hill, Annals of Statistics 3, 1975) and which is drawn
 * towards `PRIOR`, as a tail of three knows little.
 *
 * It is Student's t up to 14 pairs, with 5 degrees of freedom up to 8 of them and 8 for all 14, and where the tail
 * would begin within one standard deviation: a past of hardly any events has seen nothing that could be rare. From 14
 * pairs to 28 it is a mean of both, in which the past weighs more and more. `pairs` is how many the past counts for,
 * where they are no independent ones.
 */
export function tailOfPast(past: readonly number[], pairs: number = past.length): Tail {
  const sizes = Float64Array.from(past, Math.abs)
    .filter((size) => size <= FURTHEST_NOISE)
    .sort();
  const { none, all } = PAIRS_OF_TAIL;
  const weight = Math.min(1, Math.max(0, (pairs - none) / (all - none)));
  const outermost = Math.ceil(sizes.length ** 0.25);
  const edge = sizes[sizes.length - 1 - outermost] ?? 0;
  const unlearned = unlearnedTail(edge < 1 ? 0 : pairs);
  if (weight === 0 || edge < 1) return unlearned;
  const learned = learnedTail(sizes, outermost, edge);
  if (weight === 1) return learned;
  return (z) => weight * learned(z) + (1 - weight) * unlearned(z);
}

function unlearnedTail(pairs: number): Tail {
  const { least, most, upToPairs, perPair } = UNLEARNED_FREEDOM;
  const freedom = Math.min(most, least + perPair * Math.max(0, pairs - upToPairs));
  return (z) => 2 * studentCdf(-Math.abs(z), freedom);
}

function learnedTail(sizes: Float64Array, outermost: number, edge: number): Tail {
  const beyond = sizes
    .subarray(-outermost)
    .reduce((sum, size) => sum + Math.log(Math.min(size / edge, FURTHEST_OF_TAIL)), 0);
  const power = (outermost + PRIOR.weight) / (beyond + PRIOR.weight / PRIOR.power);
  const pAtEdge = (1 + outermost) / (1 + sizes.length);
  return (z) => {
    const size = Math.abs(z);
    if (size > edge) return pAtEdge * (size / edge) ** -power;
    return (1 + sizes.length - firstAtLeast(sizes, size)) / (1 + sizes.length);
  };
}

/** The index of the first of `sorted` that is `value` or more; their number where none is. */
function firstAtLeast(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
