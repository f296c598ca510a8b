import type { Deviation, Dispersion, Spread } from './deviation.ts';

/** Windows of a comparison: days or longer, an hour with the previous one, or an hour with that of a week ago. */
type Compared = 'day' | 'hour' | 'hourOfWeek';

/**
 * The assumed dispersion of a series without a past. On real series, the median tau of quiet windows is 21% to 32%
 * for days, depending on size, 38% for hours, and 56% for hours compared with the same hour of the week
 * (docs/explanation/statistics.md).
 */
export const ASSUMED_DISPERSION: Record<Compared, Dispersion> = {
  day: { clustering: 1, tau: 0.25 },
  hour: { clustering: 1, tau: 0.35 },
  hourOfWeek: { clustering: 1, tau: 0.55 },
};

/** Variance of the log variance between series: 80% of series have 0.6 to 1.6 times the assumed spread. */
const VARIANCE_BETWEEN_SERIES = 0.6;

/** Variance of the log of a variance that is estimated by medians, times the number of independent pairs. */
export const VARIANCE_OF_LOG_SPREAD = 5.4;

/** From this many pairs, a past is complete: its estimates are not shrunk. */
const WHOLE_PAST = 35;

/** Maximum log excess of the variance that a short past can add, divided by its shortness. */
const FURTHEST_EXCESS = 1.5;

/** Assumed correlation between segments of one rule, because the same days affect all of them. */
const SHARED_BY_SEGMENTS = 0.5;

/** From 1 without a past to 0 for a complete one. */
function shortnessOf(pairs: number): number {
  return Math.max(0, 1 - pairs / WHOLE_PAST);
}

/**
 * The effective sample size of a past for a variance. After an unusual week, all seven pairs deviate in the same
 * direction, but that is one event. The autocorrelation is estimated from the rate of sign changes: for normal values
 * their probability is `arccos(rho) / pi` (Sheppard 1899). The effective size is `n (1 - rho^2) / (1 + rho^2)` (Bayley
 * and Hammersley 1946).
 */
function independentPairs(past: readonly Deviation[]): number {
  if (past.length < 2) return past.length;
  const changes = past.filter(({ change }, at) => at > 0 && change * (past[at - 1]?.change ?? 0) <= 0).length;
  const square = Math.cos(Math.PI * Math.min(0.5, changes / (past.length - 1))) ** 2;
  return (past.length * (1 - square)) / (1 + square);
}

/** Variance of the log of a variance estimated from this past: infinite without a past, 0 for a complete one. */
export function uncertaintyOf(past: readonly Deviation[]): number {
  if (past.length === 0) return Number.POSITIVE_INFINITY;
  const shortness = shortnessOf(past.length);
  return shortness === 0 ? 0 : (shortness * VARIANCE_OF_LOG_SPREAD) / independentPairs(past);
}

/** The number of pairs that count for the tail: all of a complete past, the independent ones of a short past. */
export function pairsOfTail(past: readonly Deviation[]): number {
  const shortness = shortnessOf(past.length);
  return past.length ** (1 - shortness) * independentPairs(past) ** shortness;
}

/** The variance of the log of a variance estimated from several segments of a rule; `uncertainty`: that of one. */
export function sharedUncertaintyOf(uncertainty: number, segments: number): number {
  return uncertainty * (SHARED_BY_SEGMENTS + (1 - SHARED_BY_SEGMENTS) / segments);
}

/** The weight of the assumed dispersion for this uncertainty: 1 without a past, 0 for a complete one. */
function assumedShare(uncertainty: number): number {
  return uncertainty === Number.POSITIVE_INFINITY ? 1 : uncertainty / (uncertainty + VARIANCE_BETWEEN_SERIES);
}

/**
 * A spread, shrunk towards the assumed one on the log scale: the more uncertain, the more (empirical Bayes, after
 * Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004).
 */
export function shrunkSpread(
  { seen, chance }: Spread,
  pairs: number,
  { uncertainty, assumed }: { uncertainty: number; assumed: Dispersion },
): Spread {
  if (uncertainty === 0) return { seen, chance };
  const expected = assumed.tau ** 2 + assumed.clustering * chance;
  // Less than half of the variance by chance is a coincidence, and is not used.
  const excess = Math.log(Math.max(seen, chance / 2) / expected);
  const shrunk = (1 - assumedShare(uncertainty)) * Math.min(excess, FURTHEST_EXCESS / shortnessOf(pairs));
  return { seen: Math.exp(shrunk) * expected, chance };
}
