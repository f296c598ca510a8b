import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawsFor, logNormal, poisson } from '../../../local/data/demo/draws.ts';
import { countDeviation } from '../../../shared/statistics/counts.ts';
import { type Member, testFamily } from '../../../shared/statistics/families.ts';
import { familyDispersion } from '../../../shared/statistics/moderation.ts';

/** A segment with a daily mean of `mean`, a spread of `tau` and this many earlier pairs. */
interface Segment {
  mean: number;
  tau?: number;
  pairs?: number;
  /** The share of the expected count that the last day has. */
  left?: number;
}

function memberOf({ mean, tau = 0.05, pairs = 56, left = 1 }: Segment, seed: number): Member {
  const draw = drawsFor(seed, mean, tau);
  const days = Array.from({ length: pairs + 2 }, (_, day) => {
    const usual = mean * logNormal(draw, 1, tau / Math.SQRT2);
    return { amount: poisson(draw, day > pairs ? left * usual : usual), exposure: 24 };
  });
  const deviations = days.flatMap((current, day) => {
    const baseline = days[day - 1];
    return baseline ? [{ current, baseline }] : [];
  });
  const last = deviations.at(-1);
  return {
    deviation: countDeviation(
      last ?? { current: { amount: 0, exposure: 1 }, baseline: { amount: 0, exposure: 1 } },
    ),
    past: deviations.slice(0, -1).map(countDeviation),
    events: last ? last.current.amount + last.baseline.amount : 0,
  };
}

const family = (count: number, segment: Segment, seed = 1) =>
  Array.from({ length: count }, (_, at) => memberOf(segment, 1000 * seed + at));

const foundIn = (members: Member[]) =>
  testFamily(members).members.flatMap((test, at) => (test?.isDiscovery ? [at] : []));

describe('testFamily', () => {
  it('finds the one segment of 200 that falls by half', () => {
    const members = family(200, { mean: 1000 });
    members[17] = memberOf({ mean: 1000, left: 0.5 }, 99);
    expect(foundIn(members)).toEqual([17]);
  });

  it('finds a fall by half although twenty segments have an unlabelled stop', () => {
    const stop = { change: -7.6, chance: 0.004 };
    const members = family(200, { mean: 1000 }).map((member, at) =>
      at < 20 ? { ...member, past: [...member.past.slice(1), stop] } : member,
    );
    members[170] = memberOf({ mean: 1000, left: 0.5 }, 99);
    expect(foundIn(members)).toEqual([170]);
  });

  it('leaves out segments with too few events', () => {
    const { tested, members } = testFamily([
      memberOf({ mean: 4 }, 1),
      memberOf({ mean: 500 }, 2),
      { ...memberOf({ mean: 500 }, 3), events: 19 },
      { ...memberOf({ mean: 500 }, 4), events: 20 },
    ]);
    expect(tested).toBe(2);
    expect(members.map((test) => test !== null)).toEqual([false, true, false, true]);
  });

  it('shrinks similar segments together, and keeps the spread of an outlier', () => {
    const alike = testFamily(family(40, { mean: 20_000 })).members.map((test) => test?.tau ?? 0);
    expect(Math.max(...alike) / Math.min(...alike)).toBeLessThan(1.3);
    const [restless] = testFamily([
      memberOf({ mean: 20_000, tau: 0.5 }, 7),
      ...family(40, { mean: 20_000 }),
    ]).members;
    expect(restless?.tau).toBeGreaterThan(0.25);
  });

  it('keeps the spread of a volatile segment beside a young growing one', () => {
    const growing: Member = {
      deviation: { change: 0.3, chance: 0.002 },
      past: Array.from({ length: 9 }, (_, day) => ({ change: 0.3 + 0.01 * day, chance: 0.002 })),
      events: 1000,
    };
    const volatile = memberOf({ mean: 20_000, tau: 0.6 }, 7);
    const [beside] = testFamily([volatile, ...family(8, { mean: 20_000 }), growing]).members;
    expect(beside?.tau).toBeGreaterThan(0.4);
  });

  it('gives a segment without a past the dispersion of the family', () => {
    const members = [...family(20, { mean: 20_000 }), memberOf({ mean: 20_000, pairs: 2 }, 5)];
    const young = testFamily(members).members.at(-1);
    expect(young?.pairs).toBe(2);
    expect(young?.tau).toBeCloseTo(0.05, 1);
    expect(familyDispersion(members.map(({ past }) => past)).tau).toBeCloseTo(0.05, 1);
    expect(familyDispersion([[], []])).toEqual({ clustering: 1, tau: 0.25 });
  });

  it('equals the single test with heavy tails if no segment has a past', () => {
    const [test] = testFamily([
      { deviation: { change: -1.5, chance: 0.0275 }, past: [], events: 300 },
    ]).members;
    expect(test).toMatchObject({ z: -5, tau: 0.25, clustering: 1, pairs: 0, isDiscovery: true });
    expect(test?.p).toBeCloseTo(0.0041, 4);
    expect(test?.adjustedP).toBe(test?.p);
  });

  it('does not depend on the order of segments', () => {
    const members = [
      ...family(12, { mean: 300, pairs: 20 }),
      memberOf({ mean: 5 }, 3),
      memberOf({ mean: 300, left: 0.3 }, 4),
    ];
    const expected = testFamily(members).members;
    fc.assert(
      fc.property(fc.shuffledSubarray([...members.keys()], { minLength: members.length }), (order) => {
        const shuffled = testFamily(order.flatMap((at) => members[at] ?? [])).members;
        order.forEach((at, place) => {
          expect(shuffled[place]?.isDiscovery).toBe(expected[at]?.isDiscovery);
          expect(shuffled[place]?.adjustedP ?? -1).toBeCloseTo(expected[at]?.adjustedP ?? -1, 12);
        });
      }),
      { numRuns: 20 },
    );
  });
});
