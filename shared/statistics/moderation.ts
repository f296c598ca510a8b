import type { Deviation, Dispersion, Spread } from './deviation.ts';
import { type Borrowed, dispersionOf, median, NOTABLE_SHARE, spreadOf } from './dispersion.ts';
import { LITTLE_HISTORY } from './past-tail.ts';
import {
  ASSUMED_DISPERSION,
  assumedShare,
  drawnSpread,
  sharedUncertaintyOf,
  uncertaintyOf,
  VARIANCE_OF_LOG_SPREAD,
} from './short-past.ts';

/** A segment of a rule, as far as its spread goes. */
interface Segment {
  past: readonly Deviation[];
}

/** What the segments of a rule that have a past to speak of teach of all of them. */
interface Lesson {
  /** The median of their dispersions, with nothing borrowed. */
  family: Dispersion;
  /** The same, drawn towards what is assumed. */
  ofFamily: Dispersion;
  /** Segments with fewer pairs taught nothing. */
  leastPairs: number;
  mostPairs: number;
  /** How uncertain the spread of all is, as their pasts are short. */
  uncertainty: number;
}

function lessonOf(pasts: readonly (readonly Deviation[])[], assumed: Dispersion): Lesson {
  const mostPairs = pasts.reduce((most, { length }) => Math.max(most, length), 0);
  const leastPairs = Math.max(1, Math.min(mostPairs, LITTLE_HISTORY));
  const known = pasts.filter(({ length }) => length >= leastPairs);
  if (known.length === 0)
    return {
      ...{ family: assumed, ofFamily: assumed },
      ...{ leastPairs, mostPairs, uncertainty: Number.POSITIVE_INFINITY },
    };
  const spreads = known.map(spreadOf);
  const uncertainty = sharedUncertaintyOf(median(known.map(uncertaintyOf)), known.length);
  const drawn = spreads.map((spread) => drawnSpread(spread, mostPairs, { uncertainty, assumed }));
  const [family, ofFamily] = [medianDispersion(spreads), medianDispersion(drawn)];
  return { family, ofFamily, leastPairs, mostPairs, uncertainty };
}

function medianDispersion(spreads: readonly Spread[]): Dispersion {
  const own = spreads.map(dispersionOf);
  return {
    clustering: median(own.map(({ clustering }) => clustering)),
    tau: median(own.map(({ tau }) => tau)),
  };
}

/** The dispersion of a segment of the family that has no past. */
export function familyDispersion(
  pasts: readonly (readonly Deviation[])[],
  assumed: Dispersion = ASSUMED_DISPERSION.day,
): Dispersion {
  return lessonOf(pasts, assumed).ofFamily;
}

interface Moderated {
  dispersion: Dispersion;
  borrowed: Borrowed | null;
}

/**
 * Each segment's own dispersion, drawn towards the family's. How much more it varies than the family has it is believed
 * as far as segments differ in that by more than so short pasts would make them (empirical Bayes, after Smyth 2004).
 * What comes of it is drawn towards what is assumed of any series, as far as the pasts of all are short.
 */
export function moderated<Member extends Segment>(
  members: readonly Member[],
  assumed: Dispersion,
): (Member & Moderated)[] {
  const lesson = lessonOf(
    members.map(({ past }) => past),
    assumed,
  );
  const { family, ofFamily, leastPairs, mostPairs, uncertainty } = lesson;
  const learned = members.map((member) => ({
    member: { ...member, borrowed: borrowedBy(member, lesson, assumed) },
    own: member.past.length >= leastPairs ? excessOver(family, member.past) : undefined,
  }));
  const known = learned.flatMap(({ own }) => own ?? []);
  const { centre, differing } = betweenSegments(known);
  return learned.map(({ member, own }) => {
    if (!own) return { ...member, dispersion: ofFamily };
    const { excess, noise, expected, chance } = own;
    const believed = centre + (differing / (differing + noise)) * (excess - centre);
    const spread = drawnSpread({ seen: Math.exp(believed) * expected, chance }, mostPairs, {
      uncertainty,
      assumed,
    });
    return { ...member, dispersion: dispersionOf(spread) };
  });
}

/**
 * Where the excesses of segments lie, and their variance beyond noise. Each counts as much as it is certain, which a past
 * that rose all the time is not at all (DerSimonian and Laird, Controlled Clinical Trials 7, 1986).
 */
function betweenSegments(known: readonly { excess: number; noise: number }[]) {
  const certain = known.filter(({ noise }) => Number.isFinite(noise));
  const centre = median((certain.length > 0 ? certain : known).map(({ excess }) => excess));
  const weights = sum(certain.map(({ noise }) => 1 / noise));
  const beyond = sum(certain.map(({ excess, noise }) => ((excess - centre) ** 2 - noise) / noise));
  return { centre, differing: weights > 0 ? Math.max(0, beyond / weights) : 0 };
}

/** How much more a segment varies than the family's dispersion has it expected, as a logarithm that is so uncertain. */
function excessOver({ clustering, tau }: Dispersion, past: readonly Deviation[]) {
  const { seen, chance } = spreadOf(past);
  const expected = tau ** 2 + clustering * chance;
  // Never less than by chance: less is luck, or a past of nothing at all.
  const excess = Math.log(Math.max(seen, chance) / expected);
  return { excess, noise: VARIANCE_OF_LOG_SPREAD / past.length + uncertaintyOf(past), expected, chance };
}

/** The family lends to those with little history; it has borrowed itself where all have little. */
function borrowedBy(
  { past }: Segment,
  { uncertainty, ofFamily }: Lesson,
  assumed: Dispersion,
): Borrowed | null {
  if (assumedShare(uncertainty) > NOTABLE_SHARE) return { tau: assumed.tau, from: 'other series' };
  return past.length < LITTLE_HISTORY ? { tau: ofFamily.tau, from: 'other segments' } : null;
}

/** From the smallest on, so that the order of segments changes no bit of it. */
export function sum(values: readonly number[]): number {
  return Float64Array.from(values)
    .sort()
    .reduce((total, value) => total + value, 0);
}
