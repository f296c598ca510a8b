import type { Deviation, Dispersion } from './deviation.ts';
import { type DispersedTest, standardised, standardisedPast } from './dispersion.ts';
import { discoveriesAmong, type FalseDiscoveryMethod } from './false-discovery.ts';
import { moderated, sum } from './moderation.ts';
import { tailOfPast } from './past-tail.ts';
import { ASSUMED_DISPERSION, pairsOfTail } from './short-past.ts';

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
