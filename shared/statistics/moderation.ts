import type { Deviation, Dispersion, Spread } from './deviation.ts';
import { dispersionOf, median, spreadOf } from './dispersion.ts';
import { LITTLE_HISTORY } from './past-tail.ts';
import {
  ASSUMED_DISPERSION,
  sharedUncertaintyOf,
  shrunkSpread,
  uncertaintyOf,
  VARIANCE_OF_LOG_SPREAD,
} from './short-past.ts';

interface Segment {
  past: readonly Deviation[];
}

/** What the segments of a rule with enough past say about all its segments. */
interface FamilyEstimate {
  /** The median of their dispersions, without shrinkage. */
  family: Dispersion;
  /** The median of their dispersions, each shrunk towards the assumed one. */
  shrunkFamily: Dispersion;
  /** Segments with fewer pairs are not used. */
  leastPairs: number;
  mostPairs: number;
  /** Variance of the log of the family's spread, because pasts are short. */
  uncertainty: number;
}

function familyEstimate(pasts: readonly (readonly Deviation[])[], assumed: Dispersion): FamilyEstimate {
  const mostPairs = pasts.reduce((most, { length }) => Math.max(most, length), 0);
  const leastPairs = Math.max(1, Math.min(mostPairs, LITTLE_HISTORY));
  const known = pasts.filter(({ length }) => length >= leastPairs);
  if (known.length === 0)
    return {
      ...{ family: assumed, shrunkFamily: assumed },
      ...{ leastPairs, mostPairs, uncertainty: Number.POSITIVE_INFINITY },
    };
  const spreads = known.map(spreadOf);
  const uncertainty = sharedUncertaintyOf(median(known.map(uncertaintyOf)), known.length);
  const shrunk = spreads.map((spread) => shrunkSpread(spread, mostPairs, { uncertainty, assumed }));
  const [family, shrunkFamily] = [medianDispersion(spreads), medianDispersion(shrunk)];
  return { family, shrunkFamily, leastPairs, mostPairs, uncertainty };
}

function medianDispersion(spreads: readonly Spread[]): Dispersion {
  const own = spreads.map(dispersionOf);
  return {
    clustering: median(own.map(({ clustering }) => clustering)),
    tau: median(own.map(({ tau }) => tau)),
  };
}

/** The dispersion for a segment without a past: the family's. */
export function familyDispersion(
  pasts: readonly (readonly Deviation[])[],
  assumed: Dispersion = ASSUMED_DISPERSION.day,
): Dispersion {
  return familyEstimate(pasts, assumed).shrunkFamily;
}

/**
 * Each segment's dispersion, shrunk towards the family's (empirical Bayes, after Smyth 2004). The weight of a segment's
 * own dispersion grows with the variance between segments beyond that of short pasts. The result is shrunk towards
 * `assumed`: the shorter all pasts, the more.
 */
export function moderated<Member extends Segment>(
  members: readonly Member[],
  assumed: Dispersion,
): (Member & { dispersion: Dispersion })[] {
  const { family, shrunkFamily, leastPairs, mostPairs, uncertainty } = familyEstimate(
    members.map(({ past }) => past),
    assumed,
  );
  const learned = members.map((member) => ({
    member,
    own: member.past.length >= leastPairs ? excessOver(family, member.past) : undefined,
  }));
  const known = learned.flatMap(({ own }) => own ?? []);
  const { centre, between } = betweenSegments(known);
  return learned.map(({ member, own }) => {
    if (!own) return { ...member, dispersion: shrunkFamily };
    const { excess, noise, expected, chance } = own;
    const shrunk = centre + (between / (between + noise)) * (excess - centre);
    const spread = shrunkSpread({ seen: Math.exp(shrunk) * expected, chance }, mostPairs, {
      uncertainty,
      assumed,
    });
    return { ...member, dispersion: dispersionOf(spread) };
  });
}

/**
 * The centre of the segments' excesses, and their variance beyond noise. Each segment is weighted by its precision,
 * which is 0 for a past that only rose or only fell (DerSimonian and Laird, Controlled Clinical Trials 7, 1986).
 */
function betweenSegments(known: readonly { excess: number; noise: number }[]) {
  const certain = known.filter(({ noise }) => Number.isFinite(noise));
  const centre = median((certain.length > 0 ? certain : known).map(({ excess }) => excess));
  const weights = sum(certain.map(({ noise }) => 1 / noise));
  const beyond = sum(certain.map(({ excess, noise }) => ((excess - centre) ** 2 - noise) / noise));
  return { centre, between: weights > 0 ? Math.max(0, beyond / weights) : 0 };
}

/** Log ratio of a segment's variance to the one expected from the family's dispersion; `noise` is its variance. */
function excessOver({ clustering, tau }: Dispersion, past: readonly Deviation[]) {
  const { seen, chance } = spreadOf(past);
  const expected = tau ** 2 + clustering * chance;
  // A variance below that by chance is a coincidence, or a past without events.
  const excess = Math.log(Math.max(seen, chance) / expected);
  return { excess, noise: VARIANCE_OF_LOG_SPREAD / past.length + uncertaintyOf(past), expected, chance };
}

/** Adds in ascending order, so that rounding does not depend on the order of segments. */
export function sum(values: readonly number[]): number {
  return Float64Array.from(values)
    .sort()
    .reduce((total, value) => total + value, 0);
}
