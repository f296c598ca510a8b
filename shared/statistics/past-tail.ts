import studentCdf from '@stdlib/stats-base-dists-t-cdf';

/** A two-sided p-value of a standardised deviation: 1 at 0, never 0, and never rising with the size of `z`. */
export type Tail = (z: number) => number;

/** Fewer past deviations than this have no tail of their own. */
export const MINIMUM_PAIRS = 8;

/** Without a past of its own: few, because the spread is a guess. */
const UNLEARNED_FREEDOM = 5;

/** Beyond what the past has shown: the tails of real series fall about as slowly as this. */
const UNSEEN_FREEDOM = 3;

/** Nine in ten deviations of a normal series are smaller. */
const NORMAL_UPPER_TENTH = 1.6448536269514722;

/**
 * How rare a deviation is, by the standardised past that it belongs to. Up to the largest past deviation p is the rank,
 * `(1 + how many were as large) / (1 + how many there were)`; beyond, it falls from there as Student's t with 3 degrees of
 * freedom does. An incident that the past holds unknown would make the next one usual, so p is never above that of a t with
 * 3 degrees of freedom whose scale is the upper tenth of the past, which a few incidents do not move.
 * With fewer than `MINIMUM_PAIRS` it is Student's t with 5 degrees of freedom.
 */
export function tailOfPast(past: readonly number[]): Tail {
  if (past.length < MINIMUM_PAIRS) return (z) => twoSided(z, UNLEARNED_FREEDOM);
  const sizes = Float64Array.from(past, Math.abs).sort();
  const largest = sizes.at(-1) ?? 0;
  const scale = Math.max(1, (sizes[Math.floor(0.9 * sizes.length)] ?? 0) / NORMAL_UPPER_TENTH);
  const unseen = twoSided(largest, UNSEEN_FREEDOM);
  return (z) => {
    const asLarge = sizes.length - firstAtLeast(sizes, Math.abs(z));
    const rank = asLarge > 0 ? 1 + asLarge : twoSided(z, UNSEEN_FREEDOM) / unseen;
    return Math.min(1, rank / (1 + sizes.length), twoSided(z / scale, UNSEEN_FREEDOM));
  };
}

function twoSided(z: number, freedom: number): number {
  return 2 * studentCdf(-Math.abs(z), freedom);
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
