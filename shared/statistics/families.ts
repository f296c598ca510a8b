import type { Deviation, Dispersion } from './deviation.ts';
import { type DispersedTest, standardised, standardisedPast } from './dispersion.ts';
import { discoveriesAmong, type FalseDiscoveryMethod } from './false-discovery.ts';
import { moderated, sum } from './moderation.ts';
import { tailOfPast } from './past-tail.ts';
import { ASSUMED_DISPERSION, pairsOfTail } from './short-past.ts';

/** One segment of a rule: its pair under test and its past pairs, all with the same lag. */
export interface Member {
  deviation: Deviation;
  past: readonly Deviation[];
  /** Number of events in both windows of the pair together; for a mean, the sum of the weights. */
  events: number;
}

export interface FamilyOptions {
  /** The accepted false discovery rate. */
  q: number;
  method: FalseDiscoveryMethod;
  /** The dispersion that segments with a short past are shrunk towards. */
  assumed?: Dispersion;
}

/** A segment's test. `tau` and `clustering` are moderated; `p` is from the past of the whole family. */
interface MemberTest extends DispersedTest {
  /** The smallest false discovery rate at which this segment is a discovery. */
  adjustedP: number;
  isDiscovery: boolean;
}

export interface FamilyTest {
  tested: number;
  /** In the order of the members; `null` for a member with too few events for a test. */
  members: (MemberTest | null)[];
}

/**
 * Minimum events for a test, over both windows. The test is conditional on their sum, so a filter by the sum favours
 * neither falls nor rises.
 */
const MINIMUM_EVENTS = 20;

/**
 * Tests all segments of one rule together, with a false discovery rate of at most `q`. A segment's own past is short,
 * so its dispersion is shrunk towards the family's: the more alike the segments, the more. p comes from the pooled past
 * of all segments, because one segment's past is too short for the small p-values that hundreds of tests require.
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
