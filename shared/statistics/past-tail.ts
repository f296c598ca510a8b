import studentCdf from '@stdlib/stats-base-dists-t-cdf';

/** A two-sided p-value of a standardised deviation: 1 at 0, never 0, and never rising with the size of `z`. */
export type Tail = (z: number) => number;

/** Fewer past pairs than this teach nothing. */
export const MINIMUM_PAIRS = 8;

/** Without a past the tails are heavy because the spread is a guess. */
const UNLEARNED_FREEDOM = 5;

/** What is believed of the tail before it is seen: it falls with this power of z, as if so many had been seen to. */
const PRIOR = { power: 2, weight: 2 };

/**
 * How rare a deviation is, by the standardised past that it belongs to. Within the past p is the rank, `(1 + those as
 * large) / (1 + all)`. Of n past deviations the cube root of n are taken for the tail; from there outwards p falls with
 * a power of z, which they teach (Hill, Annals of Statistics 3, 1975) and which is drawn towards `PRIOR`: a tail of
 * four knows little, and an incident among them must not make the next one usual.
 * With fewer than `MINIMUM_PAIRS` it is Student's t with 5 degrees of freedom.
 */
export function tailOfPast(past: readonly number[]): Tail {
  if (past.length < MINIMUM_PAIRS) return (z) => 2 * studentCdf(-Math.abs(z), UNLEARNED_FREEDOM);
  const sizes = Float64Array.from(past, Math.abs).sort();
  const outermost = Math.ceil(Math.cbrt(sizes.length));
  // A past that is calmer than its dispersion says has no tail to speak of.
  const edge = Math.max(1, sizes[sizes.length - 1 - outermost] ?? 1);
  const beyond = sizes
    .subarray(-outermost)
    .reduce((sum, size) => sum + Math.log(Math.max(size, edge) / edge), 0);
  const power = (outermost + PRIOR.weight) / (beyond + PRIOR.weight / PRIOR.power);
  const pAtEdge = (1 + outermost) / (1 + sizes.length);
  return (z) => {
    const size = Math.abs(z);
    if (size > edge) return pAtEdge * (size / edge) ** -power;
    const asLarge = sizes.length - firstAtLeast(sizes, size);
    return Math.max(pAtEdge, (1 + asLarge) / (1 + sizes.length));
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
