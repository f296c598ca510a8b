import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributeCount, attributeMean, type Table } from '../../../shared/statistics/attribution.ts';
import { isMoreThanItsSize } from '../../../shared/statistics/attribution-driver.ts';
import { gainOf, type Leaf } from '../../../shared/statistics/attribution-gain.ts';
import { meanShiftOf, meanSplitsOf, opposedSplit } from '../../../shared/statistics/attribution-mean.ts';
import { attributeUniques } from '../../../shared/statistics/attribution-uniques.ts';

type Row = [values: string, baseline: number, current: number];

/** Rows such as `['android 5.2.0', 180, 15]`. `others` is the folded rest. */
function counts(dimensions: string, rows: Row[]): Table {
  return {
    dimensions: dimensions.split(' '),
    leaves: rows.map(([values, baseline, current]) => ({
      values: values.split(' ').map((value) => (value === 'others' ? null : value)),
      baseline: { amount: baseline, weight: 1 },
      current: { amount: current, weight: 1 },
    })),
  };
}

/** Rows of a value, then mean and weight of the baseline, then of the current period. */
function means(dimensions: string, rows: [string, [number, number], [number, number]][]): Table {
  return {
    dimensions: dimensions.split(' '),
    leaves: rows.map(([values, [meanBefore, weightBefore], [meanNow, weightNow]]) => ({
      values: values.split(' '),
      baseline: { amount: meanBefore * weightBefore, weight: weightBefore },
      current: { amount: meanNow * weightNow, weight: weightNow },
    })),
  };
}

const VERSIONS = ['4.8', '4.9', '5.0', '5.1'].flatMap((version): Row[] => [
  [`android ${version}`, 200, 205],
  [`ios ${version}`, 205, 200],
]);

describe('attributeCount', () => {
  const byCountry = (...rows: Row[]) => counts('country', rows);
  /** Rows of platforms and versions, and what is left of each of `VERSIONS`. */
  const byVersion = (left: (values: string) => number, ...more: Row[]) =>
    counts('platform version', [
      ...VERSIONS.map(([values, before, now]): Row => [values, before, now * left(values)]),
      ...more,
    ]);
  const all = () => 1;

  it.each<[name: string, table: Table, expected: Record<string, string>[]]>([
    ['one value', byCountry(['DE', 500, 495], ['FR', 300, 302], ['MT', 200, 20]), [{ country: 'MT' }]],
    [
      'a whole platform and none of its versions',
      byVersion((each) => (each.startsWith('ios') ? 0.6 : 1)),
      [{ platform: 'ios' }],
    ],
    [
      'one version of one platform',
      byVersion((each) => (each === 'android 5.1' ? 15 / 205 : 1)),
      [{ platform: 'android', version: '5.1' }],
    ],
    [
      'platform and version for a version of only one platform',
      byVersion(all, ['android 5.2', 180, 15]),
      [{ platform: 'android', version: '5.2' }],
    ],
    [
      'two values that fell equally',
      byVersion((each) => (/4\.8|5\.0/.test(each) ? 0.3 : 1)),
      [{ version: '4.8' }, { version: '5.0' }],
    ],
    ['a new value', byVersion(all, ['ios 6.0', 0, 700]), [{ platform: 'ios', version: '6.0' }]],
    [
      'the largest value if the baseline is zero',
      byCountry(['DE', 0, 3], ['FR', 0, 4], ['MT', 0, 400]),
      [{ country: 'MT' }],
    ],
    [
      'nothing if all values fell equally',
      byCountry(['DE', 500, 251], ['FR', 300, 148], ['MT', 200, 101]),
      [],
    ],
    [
      'nothing if only the folded rest moved',
      byCountry(['DE', 500, 498], ['FR', 300, 302], ['others', 400, 100]),
      [],
    ],
    ['nothing if nothing moved', byCountry(['DE', 500, 500]), []],
    ['nothing without rows', byCountry(), []],
  ])('returns %s', (_name, table, expected) => {
    expect(attributeCount(table).drivers.map(({ values }) => values)).toEqual(expected);
  });

  it('returns the figures of a driver', () => {
    const { drivers } = attributeCount(
      counts('country', [
        ['DE', 800, 810],
        ['MT', 200, 10],
      ]),
    );
    expect(drivers).toHaveLength(1);
    expect(drivers[0]).toMatchObject({ kind: 'count', current: 10, baseline: 200, shareOfBase: 0.2 });
    expect(drivers[0]?.shareOfChange).toBeCloseTo(190 / 180, 12);
    expect(drivers[0]?.shareNow).toBeCloseTo(10 / 820, 12);
  });

  const leaf = fc.record({
    values: fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'y', 'z')),
    baseline: fc.nat(500),
    current: fc.nat(500),
  });
  const table = fc.uniqueArray(leaf, { minLength: 2, selector: ({ values }) => values.join() }).map(
    (rows): Table => ({
      dimensions: ['first', 'second'],
      leaves: rows.map(({ values, baseline, current }) => ({
        values,
        baseline: { amount: baseline, weight: 1 + (baseline % 7) },
        current: { amount: current, weight: 1 + (current % 5) },
      })),
    }),
  );

  it('does not depend on the order of rows', () => {
    fc.assert(
      fc.property(
        table.chain((each) => fc.tuple(fc.constant(each), shuffled(each))),
        ([one, other]) => {
          expect(attributeCount(other)).toEqual(attributeCount(one));
          expect(attributeMean(other)).toEqual(attributeMean(one));
        },
      ),
    );
  });

  it('returns at most three values of the same dimensions, in the direction of the change', () => {
    fc.assert(
      fc.property(table, (each) => {
        const { drivers } = attributeCount(each);
        expect(drivers.length).toBeLessThanOrEqual(3);
        expect(new Set(drivers.map(({ values }) => Object.keys(values).join())).size).toBeLessThanOrEqual(1);
        for (const { shareOfChange } of [...drivers, ...attributeMean(each).drivers])
          expect(shareOfChange).toBeGreaterThan(0);
      }),
    );
  });

  it('returns shares of the change that add up', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(50), fc.integer({ min: 100, max: 900 })), { minLength: 1, maxLength: 3 }),
        (rows) => {
          const moved = rows.map(([now, before], i): Row => [`m${i}`, before, now]);
          const { drivers } = attributeCount(counts('value', [...moved, ['still', 5000, 5000]]));
          const total = drivers.reduce((sum, { shareOfChange }) => sum + shareOfChange, 0);
          if (drivers.length === moved.length) expect(total).toBeCloseTo(1, 9);
          else expect(total).toBeLessThan(1 + 1e-9);
        },
      ),
    );
  });
});

function shuffled({ dimensions, leaves }: Table): fc.Arbitrary<Table> {
  return fc
    .shuffledSubarray([...leaves], { minLength: leaves.length, maxLength: leaves.length })
    .map((inAnyOrder) => ({ dimensions, leaves: inAnyOrder }));
}

describe('attributeMean', () => {
  it('returns the value whose own mean moved', () => {
    const { drivers, opposed } = attributeMean(
      means('country', [
        ['DE', [0.02, 5000], [0.02, 5000]],
        ['FR', [0.02, 3000], [0.021, 3000]],
        ['MT', [0.02, 2000], [0.2, 2000]],
      ]),
    );
    expect(drivers).toMatchObject([
      { kind: 'within', values: { country: 'MT' }, baseline: 0.02, current: 0.2 },
    ]);
    expect(drivers[0]?.shareOfChange).toBeGreaterThan(0.95);
    expect(opposed).toBeNull();
  });

  it('returns the values whose weight moved if the mix explains most', () => {
    const { drivers, isApart } = attributeMean(
      means('language platform', [
        ['de ios', [100, 2500], [100, 1000]],
        ['de web', [20, 2500], [20, 4000]],
        ['en ios', [100, 2500], [100, 1000]],
        ['en web', [20, 2500], [20, 4000]],
      ]),
    );
    expect(isApart).toBe(true);
    expect(drivers.map(({ kind, values }) => [kind, values])).toEqual([
      ['mix', { platform: 'ios' }],
      ['mix', { platform: 'web' }],
    ]);
    expect(drivers[0]).toMatchObject({ shareOfBase: 0.5, shareNow: 0.2, current: 100, baseline: 100 });
  });

  it('reports that all parts moved against the whole (Simpson)', () => {
    // Both countries convert better, but more visits come from the country with the lower conversion.
    const { drivers, opposed } = attributeMean(
      means('country', [
        ['DE', [0.3, 8000], [0.33, 2000]],
        ['MT', [0.05, 2000], [0.06, 8000]],
      ]),
    );
    expect(drivers.every(({ kind }) => kind === 'mix')).toBe(true);
    expect(opposed?.dimension).toBe('country');
    expect(opposed?.within).toBeCloseTo(0.5 * 0.03 + 0.5 * 0.01, 12);
    expect((opposed?.within ?? 0) + (opposed?.mix ?? 0)).toBeCloseTo(0.114 - 0.25, 12);
  });

  it('attributes a new value to the mix, as it had no mean before', () => {
    const { drivers } = attributeMean(
      means('version', [
        ['5.1', [1, 4000], [1, 4000]],
        ['5.2', [1, 4000], [1.05, 2400]],
        ['5.3', [0, 0], [5, 1600]],
      ]),
    );
    expect(drivers).toMatchObject([
      { kind: 'mix', values: { version: '5.3' }, baseline: null, shareOfBase: 0 },
    ]);
  });

  it('does not return a value with very few sessions as a driver', () => {
    const { drivers } = attributeMean(
      means('model', [
        ['a', [300, 4000], [300, 4000]],
        ['b', [300, 4000], [200, 4000]],
        ['c', [300, 2], [100, 2]],
      ]),
    );
    expect(drivers.map(({ values }) => values)).toEqual([{ model: 'b' }]);
  });

  it('returns nothing if all values rose equally from near zero', () => {
    const rows: [string, [number, number], [number, number]][] = [
      ['DE', [0, 4800], [0.02, 4800]],
      ['FR', [0.002, 3000], [0.024, 3000]],
      ['MT', [0.001, 2200], [0.022, 2200]],
    ];
    expect(attributeMean(means('country', rows)).drivers).toEqual([]);
  });

  it('splits the change into within and mix without a remainder', () => {
    const part = fc.record({
      amount: fc.integer({ min: 0, max: 1000 }),
      weight: fc.integer({ min: 1, max: 50 }),
    });
    const nothing = fc.constant({ amount: 0, weight: 0 });
    const leaf = fc
      .tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.oneof(part, nothing), fc.oneof(part, nothing))
      .map(([value, baseline, current]): Leaf => ({ values: [value], baseline, current }));
    const anchor: Leaf = {
      values: ['a'],
      baseline: { amount: 3, weight: 2 },
      current: { amount: 5, weight: 4 },
    };
    fc.assert(
      fc.property(fc.array(leaf, { maxLength: 8 }), (more) => {
        const leaves = [anchor, ...more];
        const mean = (period: 'baseline' | 'current') =>
          leaves.reduce((sum, each) => sum + each[period].amount, 0) /
          leaves.reduce((sum, each) => sum + each[period].weight, 0);
        const [split] = meanSplitsOf(leaves, 1);
        expect((split?.within ?? 0) + (split?.mix ?? 0)).toBeCloseTo(mean('current') - mean('baseline'), 9);
        expect(meanShiftOf(leaves, leaves).within).toBeCloseTo(mean('current') - mean('baseline'), 9);
      }),
    );
  });
});

describe('attributeUniques', () => {
  const whole = { current: 700, baseline: 1000 };
  const of = (version: string, baseline: number, current: number) => ({
    values: { version },
    baseline,
    current,
  });

  it('returns the value with the largest change relative to the whole', () => {
    const { drivers } = attributeUniques(
      [of('5.0', 600, 580), of('5.1', 500, 490), of('5.2', 350, 60)],
      whole,
    );
    expect(drivers).toMatchObject([{ kind: 'unique', values: { version: '5.2' }, shareOfBase: 0.35 }]);
    expect(drivers[0]?.shareOfChange).toBeCloseTo(290 / 300, 12);
  });

  it('caps the share of one value at the whole change', () => {
    const { drivers } = attributeUniques(
      [of('5.0', 600, 200), of('5.1', 550, 200), of('5.2', 350, 340)],
      whole,
    );
    expect(drivers.map(({ shareOfChange }) => shareOfChange)).toEqual([1, 1]);
  });

  it('returns a pair of values if it stands out more', () => {
    const pair = { values: { platform: 'android', version: '5.2' }, baseline: 300, current: 10 };
    const { drivers } = attributeUniques([of('5.2', 450, 160), of('5.1', 550, 550), pair], whole);
    expect(drivers.map(({ values }) => values)).toEqual([pair.values]);
  });

  it('needs larger counts to set apart a value that is nearly the whole', () => {
    const all = { current: 390, baseline: 1000 };
    expect(attributeUniques([of('5.0', 980, 378)], all)).toMatchObject({ isApart: false });
    const one = { current: 4000, baseline: 10_000 };
    expect(attributeUniques([of('5.0', 9800, 3800)], one)).toMatchObject({ isApart: true });
  });

  it('returns a base share of 0 if the baseline is zero', () => {
    const { drivers } = attributeUniques([of('5.0', 0, 500), of('5.1', 0, 20)], {
      current: 520,
      baseline: 0,
    });
    expect(drivers).toMatchObject([{ values: { version: '5.0' }, shareOfBase: 0 }]);
  });
});

describe('the parts of the score', () => {
  it.each([
    [0.5, 0.5, false],
    [0.98, 0.9, true],
    [0.55, 0.5, false],
    [0.4, 0.1, true],
    [1.3, 0.9, true],
    [1, 1, false],
  ])('isMoreThanItsSize for %d of the change and %d of the base is %s', (change, base, expected) => {
    expect(isMoreThanItsSize(change, base)).toBe(expected);
  });

  it('opposedSplit finds no split without any effect', () => {
    const split = (within: number, mix: number) => ({ place: 0, parts: [], within, mix });
    expect(opposedSplit([split(0, 0)])).toBeNull();
    expect(opposedSplit([split(0, 0), split(2, -1)])).toEqual(split(2, -1));
  });

  it('gainOf is the gain in log-likelihood', () => {
    // Poisson: 20 ln 2 - 10.
    expect(gainOf([{ amount: 20, expected: 10 }], 0)).toBeCloseTo(20 * Math.log(2) - 10, 12);
    expect(gainOf([{ amount: 0, expected: 10 }], 0)).toBe(10);
    // Negative binomial of variance m + m^2 / 4 for 0 of 12 expected: 4 ln(1 + 12 / 4).
    expect(gainOf([{ amount: 0, expected: 12 }], 0.25)).toBeCloseTo(4 * Math.log(4), 12);
  });
});
