import {
  DEFAULT_DISPERSION,
  type Deviation,
  type DispersedTest,
  type Dispersion,
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
export interface MemberTest extends DispersedTest {
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
export const MINIMUM_EVENTS = 20;

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
 * The family's dispersion, times each segment's own excess over it. An excess is believed as far as the segments'
 * differ by more than so short pasts would make them differ anyway (empirical Bayes, as in Smyth 2004).
 */
function moderated(members: readonly Member[]): (Member & { dispersion: Dispersion })[] {
  const family = familyDispersion(members.map(({ past }) => past));
  const learned = members.map((member) => ({ member, own: excessOver(family, member.past) }));
  const known = learned.flatMap(({ own }) => own ?? []);
  if (known.length === 0) return members.map((member) => ({ ...member, dispersion: family }));
  const centre = median(known.map(({ excess }) => excess));
  const differing = Math.max(0, mean(known.map(({ excess, noise }) => (excess - centre) ** 2 - noise)));
  return learned.map(({ member, own }) => {
    const trusted = own ? (differing / (differing + own.noise)) * (own.excess - centre) : 0;
    const factor = Math.exp(centre + trusted);
    const clustering = Math.max(1, factor * family.clustering);
    return { ...member, dispersion: { clustering, tau: Math.sqrt(factor) * family.tau } };
  });
}

/** How much more a segment varies than the family's dispersion has it, as a logarithm, and the variance of that. */
function excessOver(
  { clustering, tau }: Dispersion,
  past: readonly Deviation[],
): { excess: number; noise: number } | undefined {
  if (!isLearned(past)) return undefined;
  const { seen, chance } = spreadOf(past);
  // Never less than by chance: less is luck, or a past of nothing at all.
  const excess = Math.log(Math.max(seen, chance) / (tau ** 2 + clustering * chance));
  return { excess, noise: VARIANCE_OF_LOG_SPREAD / past.length };
}

function isLearned(past: readonly Deviation[]): boolean {
  return past.length >= MINIMUM_PAIRS;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
