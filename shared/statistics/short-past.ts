import type { Deviation, Dispersion, Spread } from './deviation.ts';

/** What is compared: days and longer windows, hours with the hour before, or hours with the same hour of the week. */
type Compared = 'day' | 'hour' | 'hourOfWeek';

/**
 * The assumed spread of a series without a past. Over real series the median tau of quiet windows is 21 % to 32 %
 * by the day, depending on their size, 38 % by the hour, and 56 % against the same hour of the week
 * (docs/explanation/statistics.md).
 */
export const ASSUMED_DISPERSION: Record<Compared, Dispersion> = {
  day: { clustering: 1, tau: 0.25 },
  hour: { clustering: 1, tau: 0.35 },
  hourOfWeek: { clustering: 1, tau: 0.55 },
};

/** Of the logarithm of the variance from series to series: four in five have 0.6 to 1.6 times the assumed spread. */
const VARIANCE_BETWEEN_SERIES = 0.6;

/** Of the logarithm of a variance that is learned by medians from n independent pairs: this over n. */
export const VARIANCE_OF_LOG_SPREAD = 5.4;

/** From so many pairs on, a past is believed as it is. */
const WHOLE_PAST = 35;

/** A short past raises the variance by no more than this power of e, divided by how short it is. */
const FURTHEST_EXCESS = 1.5;

/** How much segments of one rule are taken to be moved by the same days. */
const SHARED_BY_SEGMENTS = 0.5;

/** 1 for no past, 0 for a whole one. */
function shortnessOf(pairs: number): number {
  return Math.max(0, 1 - pairs / WHOLE_PAST);
}

/**
 * As how many independent pairs a past counts that is learned a variance from. After an odd week all seven pairs are
 * off to the same side, and that is one event. The correlation of neighbours is read off how often they change sides
 * (for normal ones the probability is `arccos(rho) / pi`, Sheppard 1899), and a variance is learned from
 * `n (1 - rho^2) / (1 + rho^2)` of them (Bayley and Hammersley 1946).
 */
function independentPairs(past: readonly Deviation[]): number {
  if (past.length < 2) return past.length;
  const changes = past.filter(({ change }, at) => at > 0 && change * (past[at - 1]?.change ?? 0) <= 0).length;
  const square = Math.cos(Math.PI * Math.min(0.5, changes / (past.length - 1))) ** 2;
  return (past.length * (1 - square)) / (1 + square);
}

/** How uncertain the logarithm of a variance is for want of past: infinite without any, 0 for a whole one. */
export function uncertaintyOf(past: readonly Deviation[]): number {
  if (past.length === 0) return Number.POSITIVE_INFINITY;
  const shortness = shortnessOf(past.length);
  return shortness === 0 ? 0 : (shortness * VARIANCE_OF_LOG_SPREAD) / independentPairs(past);
}

/** How many pairs a past counts for in the tail: all of a whole one, of a short one those that are independent. */
export function pairsOfTail(past: readonly Deviation[]): number {
  const shortness = shortnessOf(past.length);
  return past.length ** (1 - shortness) * independentPairs(past) ** shortness;
}

/** The same for what several segments of a rule teach together, with the uncertainty of each. */
export function sharedUncertaintyOf(uncertainty: number, segments: number): number {
  return uncertainty * (SHARED_BY_SEGMENTS + (1 - SHARED_BY_SEGMENTS) / segments);
}

/** The share of what is assumed in a spread so uncertain: 1 without a past, 0 with a whole one. */
export function assumedShare(uncertainty: number): number {
  return uncertainty === Number.POSITIVE_INFINITY ? 1 : uncertainty / (uncertainty + VARIANCE_BETWEEN_SERIES);
}

/**
 * A spread drawn towards the one assumed, on the scale of logarithms, as far as it is uncertain (empirical Bayes, after
 * Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004).
 */
export function drawnSpread(
  { seen, chance }: Spread,
  pairs: number,
  { uncertainty, assumed }: { uncertainty: number; assumed: Dispersion },
): Spread {
  if (uncertainty === 0) return { seen, chance };
  const expected = assumed.tau ** 2 + assumed.clustering * chance;
  // Less than half of the variance by chance is luck, and is not used.
  const excess = Math.log(Math.max(seen, chance / 2) / expected);
  const believed = (1 - assumedShare(uncertainty)) * Math.min(excess, FURTHEST_EXCESS / shortnessOf(pairs));
  return { seen: Math.exp(believed) * expected, chance };
}
