import {
  type Borrowed,
  type Deviation,
  type DispersedTest,
  type Dispersion,
  dispersionOf,
  median,
  NOTABLE_SHARE,
  type Spread,
  spreadOf,
  standardised,
  standardisedPast,
} from './dispersion.ts';
import { discoveriesAmong, type FalseDiscoveryMethod } from './false-discovery.ts';
import { LITTLE_HISTORY, tailOfPast } from './past-tail.ts';
import {
  ASSUMED_DISPERSION,
  assumedShare,
  drawnSpread,
  pairsOfTail,
  sharedUncertaintyOf,
  uncertaintyOf,
  VARIANCE_OF_LOG_SPREAD,
} from './short-past.ts';

/** One segment of a rule: its pair under test and the pairs before it, all at the same lag. */
export interface Member {
  deviation: Deviation;
  past: readonly Deviation[];
  /** How much was counted in both windows of the pair together; for a mean, its weights. */
  events: number;
}

export interface FamilyOptions {
  /** The share of false discoveries that is accepted. */
  q: number;
  method: FalseDiscoveryMethod;
  /** Of segments whose past says too little. */
  assumed?: Dispersion;
}

/** A segment's test; `tau` and `clustering` are moderated, `p` is by the past of the whole family. */
interface MemberTest extends DispersedTest {
  /** The smallest share of false discoveries at which this segment would be found. */
  adjustedP: number;
  isDiscovery: boolean;
}

export interface FamilyTest {
  tested: number;
  /** In the order of the members; `null` for one that has too little to be tested. */
  members: (MemberTest | null)[];
}

/**
 * A segment with fewer events than this is not tested. They are counted over both windows: given their sum, how they
 * fell on the two is all the test asks, so choosing by the sum favours neither a fall nor a rise.
 */
const MINIMUM_EVENTS = 20;

/**
 * Tests all segments of one rule at once, so that of those found a share of at most `q` is expected to be chance.
 * A segment's own past is short, so its dispersion is drawn towards the family's as far as segments are alike, and p
 * comes from the past of all segments together: the tail of one ends long before the p-values that hundreds of tests
 * ask for.
 */
export function testFamily(
  members: readonly Member[],
  { q, method, assumed = ASSUMED_DISPERSION.day }: FamilyOptions = { q: 0.05, method: 'benjamini-hochberg' },
): FamilyTest {
  const large = moderated(members.filter(isLargeEnough), assumed);
  const tail = tailOfPast(
    large.flatMap(({ past, dispersion }) => standardisedPast(past, dispersion)),
    sum(large.map(({ past }) => pairsOfTail(past))),
  );
  const tests = large.map(({ deviation, past, dispersion, borrowed }) => {
    const z = standardised(deviation, dispersion);
    return { z, p: tail(z), ...dispersion, pairs: past.length, borrowed };
  });
  const results = discoveriesAmong(tests, q, method).values();
  return {
    tested: large.length,
    members: members.map((member) => (isLargeEnough(member) ? (results.next().value ?? null) : null)),
  };
}

function isLargeEnough({ events }: Member): boolean {
  return events >= MINIMUM_EVENTS;
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

interface Moderated extends Member {
  dispersion: Dispersion;
  borrowed: Borrowed | null;
}

/**
 * Each segment's own dispersion, drawn towards the family's. How much more it varies than the family has it is believed
 * as far as segments differ in that by more than so short pasts would make them (empirical Bayes, after Smyth 2004).
 * What comes of it is drawn towards what is assumed of any series, as far as the pasts of all are short.
 */
function moderated(members: readonly Member[], assumed: Dispersion): Moderated[] {
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
  const centre = median(known.map(({ excess }) => excess));
  const differing = Math.max(0, mean(known.map(({ excess, noise }) => (excess - centre) ** 2 - noise)));
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
  { past }: Member,
  { uncertainty, ofFamily }: Lesson,
  assumed: Dispersion,
): Borrowed | null {
  if (assumedShare(uncertainty) > NOTABLE_SHARE) return { tau: assumed.tau, from: 'other series' };
  return past.length < LITTLE_HISTORY ? { tau: ofFamily.tau, from: 'other segments' } : null;
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/** From the smallest on, so that the order of segments changes no bit of it. */
function sum(values: readonly number[]): number {
  return Float64Array.from(values)
    .sort()
    .reduce((total, value) => total + value, 0);
}
