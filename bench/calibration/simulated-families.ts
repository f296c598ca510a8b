import { type Draw, drawsFor, logNormal, poisson } from '../../local/data/demo/draws.ts';
import { countDeviation } from '../../shared/statistics/counts.ts';
import { withoutRebound } from '../../shared/statistics/deviation.ts';
import { type Member, testFamily } from '../../shared/statistics/families.ts';
import type { Outcome } from './outcome.ts';

const SEED = 1;
const SEGMENTS = 200;
const DRAWS = 800;
const Q = 0.05;

/** The distribution of the segments of a rule. Each tau is that of the log ratio of two windows. */
interface Family {
  name: string;
  pairs: number;
  /** The range of the mean count per window, uniform on a log scale. */
  means: [number, number];
  /** The median tau, and the standard deviation of its logarithm over the segments. */
  tau: number;
  tauSpread: number;
  /** The share of segments whose noise follows Student's t with 3 degrees of freedom. */
  heavyShare: number;
  /** The standard deviation of the noise that all segments share on a day. */
  sharedTau: number;
}

const ALIKE: Family = {
  name: 'alike',
  pairs: 56,
  means: [1000, 1000],
  tau: 0.05,
  tauSpread: 0,
  heavyShare: 0,
  sharedTau: 0,
};
const OF_ALL_SIZES: Family = { ...ALIKE, name: '20 to 20,000 a window', means: [20, 20_000] };
const UNLIKE: Family = {
  ...OF_ALL_SIZES,
  name: '20 to 20,000 a window, unlike, some wild',
  tau: 0.1,
  tauSpread: 0.7,
  heavyShare: 0.1,
};
/** The names seed the draws, so renaming a family changes its figures. */
const FAMILIES: Family[] = [
  ALIKE,
  { ...ALIKE, name: 'alike, 8 earlier pairs', pairs: 8 },
  OF_ALL_SIZES,
  UNLIKE,
  { ...UNLIKE, name: 'the same, 20 earlier pairs', pairs: 20 },
  { ...UNLIKE, name: 'the same, all moved by the same days', sharedTau: 0.1 },
];

/** Families without a change: every discovery is false, so the rate is the share of families with any discovery. */
export function falseDiscoveries(): Outcome[] {
  return FAMILIES.map((family) => {
    const draw = drawsFor(SEED, 'null', family.name);
    const withAny = Array.from({ length: DRAWS }).filter(
      () => foundIn(membersOf(draw, family, [])).length > 0,
    );
    return { name: family.name, of: withAny.length, to: DRAWS };
  });
}

/** Twenty of the segments fall by half: the mean share of discoveries among the other segments. */
export function falseAmongTrue(): Outcome {
  const draw = drawsFor(SEED, 'some');
  const falls = Array.from({ length: 20 }, () => 0.5);
  const shares = Array.from({ length: DRAWS }, () => {
    const found = foundIn(membersOf(draw, UNLIKE, falls));
    return found.filter((at) => at >= falls.length).length / Math.max(1, found.length);
  });
  return { name: 'unlike, 20 of them fall by half', of: shares.reduce((sum, each) => sum + each), to: DRAWS };
}

/** One segment with 1,000 per window and tau 0.05 falls: how often the family test discovers it. */
export function familyPower(left: number): Outcome[] {
  return [ALIKE, OF_ALL_SIZES].map((family) => {
    const draw = drawsFor(SEED, 'power', family.name);
    const found = Array.from({ length: DRAWS }).filter(() =>
      foundIn(membersOf(draw, family, [left])).includes(0),
    );
    const fall = `one of ${SEGMENTS} falls by ${Math.round(100 * (1 - left))}%`;
    return { name: `${family.name}, ${fall}`, of: found.length, to: DRAWS };
  });
}

function foundIn(members: Member[]): number[] {
  const tests = testFamily(members, { q: Q, method: 'benjamini-hochberg' }).members;
  return tests.flatMap((test, at) => (test?.isDiscovery ? [at] : []));
}

/** A family at one window. The falling segments come first, with 1,000 per window. */
function membersOf(draw: Draw, family: Family, falls: readonly number[]): Member[] {
  const shared = Array.from(
    { length: family.pairs + 2 },
    () => (family.sharedTau / Math.SQRT2) * normal(draw),
  );
  const [least, most] = family.means;
  return Array.from({ length: SEGMENTS }, (_, at) => {
    const left = falls[at];
    const mean = left === undefined ? least * (most / least) ** draw() : 1000;
    const tau = left === undefined ? logNormal(draw, family.tau, family.tauSpread) : 0.05;
    const noise = draw() < family.heavyShare ? heavy : normal;
    const counts = shared.map((moved, day) => {
      const isLast = day === shared.length - 1;
      const rate = mean * Math.exp(moved + (tau / Math.SQRT2) * noise(draw));
      return poisson(draw, isLast ? rate * (left ?? 1) : rate);
    });
    return memberOf(counts);
  });
}

function memberOf(counts: readonly number[]): Member {
  const deviations = counts.slice(1).map((amount, at) =>
    countDeviation({
      current: { amount, exposure: 1 },
      baseline: { amount: counts[at] ?? 0, exposure: 1 },
    }),
  );
  const deviation = deviations.pop() ?? { change: 0, chance: 1 };
  return {
    deviation: withoutRebound(deviation, deviations.at(-1)),
    past: deviations,
    events: (counts.at(-1) ?? 0) + (counts.at(-2) ?? 0),
  };
}

function normal(draw: Draw): number {
  return Math.log(logNormal(draw, 1, 1));
}

/** Student's t with 3 degrees of freedom, scaled to a standard deviation of 1. */
function heavy(draw: Draw): number {
  const square = (normal(draw) ** 2 + normal(draw) ** 2 + normal(draw) ** 2) / 3;
  return normal(draw) / Math.sqrt(3 * square);
}
