import {
  DEFAULT_DISPERSION,
  type Deviation,
  type DispersedTest,
  type Dispersion,
  dispersionOf,
  historicalDispersion,
  median,
  spreadOf,
  standardised,
  standardisedPast,
} from './dispersion.ts';
import { discoveriesAmong, type FalseDiscoveryMethod } from './false-discovery.ts';
import { MINIMUM_PAIRS, tailOfPast } from './past-tail.ts';

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

/** Of the logarithm of a variance that is learned by medians from n pairs: this over n. */
const VARIANCE_OF_LOG_SPREAD = 5.4;

/**
 * Tests all segments of one rule at once, so that of those found a share of at most `q` is expected to be chance.
 * A segment's own past is short, so its dispersion is drawn towards the family's as far as segments are alike, and p
 * comes from the past of all segments together: the tail of one ends long before the p-values that hundreds of tests
 * ask for.
 */
export function testFamily(
  members: readonly Member[],
  { q, method }: FamilyOptions = { q: 0.05, method: 'benjamini-hochberg' },
): FamilyTest {
  const large = moderated(members.filter(isLargeEnough));
  const tail = tailOfPast(large.flatMap(({ past, dispersion }) => standardisedPast(past, dispersion)));
  const tests = large.map(({ deviation, past, dispersion }) => {
    const z = standardised(deviation, dispersion);
    return { z, p: tail(z), ...dispersion, pairs: past.length };
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

/** The median of those segments that have a dispersion of their own; the default where none has. */
export function familyDispersion(pasts: readonly (readonly Deviation[])[]): Dispersion {
  const own = pasts.filter(isLearned).map((past) => historicalDispersion(past));
  if (own.length === 0) return DEFAULT_DISPERSION;
  return {
    clustering: median(own.map(({ clustering }) => clustering)),
    tau: median(own.map(({ tau }) => tau)),
  };
}

/**
 * Each segment's own dispersion, drawn towards the family's. How much more it varies than the family has it is believed
 * as far as segments differ in that by more than so short pasts would make them (empirical Bayes, after Smyth 2004).
 */
function moderated(members: readonly Member[]): (Member & { dispersion: Dispersion })[] {
  const family = familyDispersion(members.map(({ past }) => past));
  const learned = members.map((member) => ({ member, own: excessOver(family, member.past) }));
  const known = learned.flatMap(({ own }) => own ?? []);
  const centre = median(known.map(({ excess }) => excess));
  const differing = Math.max(0, mean(known.map(({ excess, noise }) => (excess - centre) ** 2 - noise)));
  return learned.map(({ member, own }) => {
    if (!own) return { ...member, dispersion: family };
    const { excess, noise, expected, chance } = own;
    const believed = centre + (differing / (differing + noise)) * (excess - centre);
    return { ...member, dispersion: dispersionOf({ seen: Math.exp(believed) * expected, chance }) };
  });
}

/** How much more a segment varies than the family's dispersion has it expected, as a logarithm that is so uncertain. */
function excessOver({ clustering, tau }: Dispersion, past: readonly Deviation[]) {
  if (!isLearned(past)) return undefined;
  const { seen, chance } = spreadOf(past);
  const expected = tau ** 2 + clustering * chance;
  // Never less than by chance: less is luck, or a past of nothing at all.
  const excess = Math.log(Math.max(seen, chance) / expected);
  return { excess, noise: VARIANCE_OF_LOG_SPREAD / past.length, expected, chance };
}

function isLearned(past: readonly Deviation[]): boolean {
  return past.length >= MINIMUM_PAIRS;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
