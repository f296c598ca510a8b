import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundsRemarks } from '../../../shared/lint/bounds.ts';
import { canBeBeyond } from '../../../shared/lint/reach.ts';
import { type Bounds, isOutside } from '../../../shared/rules/bounds.ts';
import { ruleNamed } from '../../fixtures/builders.ts';

const NONE = { current: 0, baseline: 0, difference: 0 };

describe('canBeBeyond', () => {
  test.each<[string, Bounds, Partial<typeof NONE>, boolean]>([
    ['a fall of more than 100%', { change: { below: -1 } }, {}, false],
    ['a fall of more than 99%', { change: { below: -0.99 } }, {}, true],
    ['a value below 0', { current: { below: 0 } }, {}, false],
    [
      'a rise in percent and a negative difference',
      { change: { above: 0.5 }, difference: { below: -10 } },
      {},
      false,
    ],
    ['a rise in percent and a small value', { change: { above: 9 }, current: { below: 5 } }, {}, true],
    ['a value below its own minimum', { current: { below: 5 } }, { current: 20 }, false],
    ['a value below the minimum baseline', { current: { below: 5 } }, { baseline: 20 }, true],
    [
      'a difference bound below the minimum difference',
      { difference: { above: 10 } },
      { difference: 30 },
      true,
    ],
    [
      'a fall by half to a value above the minimum baseline',
      { change: { below: -0.5 }, current: { above: 100 } },
      { baseline: 10 },
      true,
    ],
    [
      'a fall by half and by less than 10, from 100 or more',
      { change: { below: -0.5 }, difference: { above: -10 } },
      { baseline: 100 },
      false,
    ],
    [
      'a rise that only a value from 0 can make',
      { change: { above: 1 }, current: { below: 250 } },
      { baseline: 200 },
      true,
    ],
  ])('tells whether values can exceed %s', (_name, bounds, least, can) => {
    expect(canBeBeyond(bounds, { ...NONE, ...least })).toBe(can);
  });

  const hundredths = (least: number, most: number) =>
    fc.integer({ min: least * 100, max: most * 100 }).map((count) => count / 100);
  const side = (least: number, most: number) =>
    fc
      .record({ above: hundredths(least, most), below: hundredths(least, most) }, { requiredKeys: [] })
      .filter(({ above, below }) => above !== undefined || below !== undefined);

  test('is true for bounds that some values exceed', () => {
    fc.assert(
      fc.property(
        fc.record(
          { change: side(-2, 3), difference: side(-50, 50), current: side(-5, 90) },
          { requiredKeys: [] },
        ),
        fc.integer({ min: 0, max: 100 }),
        fc.integer({ min: 0, max: 100 }),
        (bounds, current, baseline) => {
          const difference = current - baseline;
          const change = difference === 0 ? 0 : baseline === 0 ? null : difference / baseline;
          fc.pre(isOutside(bounds, { current, difference, change }));
          expect(canBeBeyond(bounds, { ...NONE, current, baseline: change === null ? 0 : baseline })).toBe(
            true,
          );
        },
      ),
    );
  });
});

test.each<[string, Record<string, unknown>, RegExp]>([
  [
    'a fall of more than 100%',
    { fire: { change: { below: '-100%' } } },
    /nothing falls by more than 100%; write "-99%" or a smaller fall/,
  ],
  [
    'bounds that exclude each other',
    { fire: { change: { above: '50%' }, difference: { below: -10 } } },
    /none can exceed these \(change above \+50% and difference below -10\); remove one/,
  ],
  [
    'a minimum that excludes all breaches',
    { fire: { current: { below: 5 } }, minimum: { current: 20 } },
    /a figure that reaches "minimum" cannot exceed the bounds of "fire" \(current below 5\)/,
  ],
  ['a fall without its minus', { fire: { change: { below: '30%' } } }, /to detect a fall, write "-30%"/],
  [
    'a rise with a minus, beside a level',
    { fire: { change: { above: '-30%' }, current: { above: 10 } } },
    /to detect a rise, remove the minus sign/,
  ],
  ['a rise with a minus', { fire: { change: { above: '-30%' } } }, /to detect a rise, remove the minus sign/],
  [
    'a difference without its minus',
    { fire: { difference: { below: 20 } } },
    /difference is below 20, so it fires without any change; to detect a fall, write "-20"/,
  ],
])('the finding about %s says how to fix it', (_name, overrides, says) => {
  expect(boundsRemarks(ruleNamed('a', overrides)).map(({ message }) => message)).toEqual([
    expect.stringMatching(says),
  ]);
});

test('a minimum of a mean counts sessions and excludes no value', () => {
  const rule = ruleNamed('a', {
    metric: 'session_seconds',
    filters: [],
    fire: { current: { below: 5 } },
    minimum: { current: 20 },
  });
  expect(boundsRemarks(rule)).toEqual([]);
});
