import { betaCdf } from './beta.ts';
import { countFrom } from './recent-extremes.ts';

/** The two-sided p-value of a standardised deviation: 1 at 0, above 0, and non-increasing in `|z|`. */
export type Tail = (z: number) => number;

/** With fewer past pairs than this, neighbouring windows replace them. */
export const MINIMUM_PAIRS = 1;

/** A series with fewer past pairs than this has little history. */
export const LITTLE_HISTORY = 8;

/** Up to `none` pairs the tail is Student's t; from `all` pairs it is estimated; in between, both are averaged. */
const PAIRS_OF_TAIL = { none: 14, all: 28 };

/**
 * Degrees of freedom of Student's t. Without a past the tail is heavy, because the spread is an assumption. Each pair
 * beyond 8 adds half a degree.
 */
const STUDENT_FREEDOM = { least: 5, most: 8, upToPairs: 8, perPair: 0.5 };

/** Prior of the tail: p falls with this power of z, with the weight of this many observations. */
const PRIOR = { power: 2, weight: 1.5 };

/** Larger deviations are ignored, even outside known incidents. They would make the next incident look normal. */
const FURTHEST_NOISE = 20;

/** Deviations are cut at this many times the edge of the tail, so that a single one cannot stretch the tail. */
const FURTHEST_OF_TAIL = 3;

/**
 * The p-value of a deviation, from its standardised past. Within the past, p is the rank: `(1 + number as large) /
 * (1 + n)`. The tail is the largest deviations, the fourth root of n of them. Beyond its edge, p falls with a power of
 * z. That power is estimated from the tail (Hill, Annals of Statistics 3, 1975) and shrunk towards `PRIOR`, because the
 * tail has only a few deviations.
 *
 * Up to 14 pairs, p is from Student's t: 5 degrees of freedom up to 8 pairs, rising to 8 at 14. From 14 to 28 pairs it
 * is a weighted mean of both. If the tail would start within one standard deviation, the past has hardly any events:
 * then p is from Student's t too. `pairs` is the number of independent pairs, if the pairs of the past are dependent.
 */
export function tailOfPast(past: readonly number[], pairs: number = past.length): Tail {
  const sizes = Float64Array.from(past, Math.abs)
    .filter((size) => size <= FURTHEST_NOISE)
    .sort();
  const { none, all } = PAIRS_OF_TAIL;
  const weight = Math.min(1, Math.max(0, (pairs - none) / (all - none)));
  const outermost = Math.ceil(sizes.length ** 0.25);
  const edge = sizes[sizes.length - 1 - outermost] ?? 0;
  const student = studentTail(edge < 1 ? 0 : pairs);
  if (weight === 0 || edge < 1) return student;
  const estimated = estimatedTail(sizes, outermost, edge);
  if (weight === 1) return estimated;
  return (z) => weight * estimated(z) + (1 - weight) * student(z);
}

function studentTail(pairs: number): Tail {
  const { least, most, upToPairs, perPair } = STUDENT_FREEDOM;
  const freedom = Math.min(most, least + perPair * Math.max(0, pairs - upToPairs));
  return tailOfStudent(freedom);
}

/** Student's t with these degrees of freedom. */
export function tailOfStudent(freedom: number): Tail {
  const cdf = betaCdf(freedom / 2, 1 / 2);
  return (z) => cdf(freedom / (freedom + z * z), (z * z) / (freedom + z * z));
}

function estimatedTail(sizes: Float64Array, outermost: number, edge: number): Tail {
  const beyond = sizes
    .subarray(-outermost)
    .reduce((sum, size) => sum + Math.log(Math.min(size / edge, FURTHEST_OF_TAIL)), 0);
  const power = (outermost + PRIOR.weight) / (beyond + PRIOR.weight / PRIOR.power);
  const pAtEdge = (1 + outermost) / (1 + sizes.length);
  return (z) => {
    const size = Math.abs(z);
    if (size > edge) return pAtEdge * (size / edge) ** -power;
    return (1 + countFrom(size, sizes)) / (1 + sizes.length);
  };
}
