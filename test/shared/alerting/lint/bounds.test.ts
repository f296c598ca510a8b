import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundsRemarks } from '../../../../shared/alerting/lint/bounds.ts';
import { canBeBeyond } from '../../../../shared/alerting/lint/reach.ts';
import { type Bounds, isOutside } from '../../../../shared/alerting/rules/bounds.ts';
import { ruleNamed } from '../../../fixtures/builders.ts';

const NONE = { current: 0, baseline: 0, difference: 0 };

describe('bounds that can never be left', () => {
  test.each<[string, Bounds, Partial<typeof NONE>, boolean]>([
    ['a fall of all', { change: { below: -1 } }, {}, false],
    ['nearly all', { change: { below: -0.99 } }, {}, true],
    ['a figure below nothing', { current: { below: 0 } }, {}, false],
    ['a rise and a smaller figure', { change: { above: 0.5 }, difference: { below: -10 } }, {}, false],
    [
      'a rise in percent and a figure that is small',
      { change: { above: 9 }, current: { below: 5 } },
      {},
      true,
    ],
    ['a figure under its own minimum', { current: { below: 5 } }, { current: 20 }, false],
    ['a figure under what is new at least', { current: { below: 5 } }, { baseline: 20 }, true],
    ['a small difference under a large minimum', { difference: { above: 10 } }, { difference: 30 }, true],
    [
      'a fall that leaves more than the baseline must be',
      { change: { below: -0.5 }, current: { above: 100 } },
      { baseline: 10 },
      true,
    ],
    [
      'a fall by half and by less than ten, of a hundred',
      { change: { below: -0.5 }, difference: { above: -10 } },
      { baseline: 100 },
      false,
    ],
    [
      'what is new, where nothing else is small enough',
      { change: { above: 1 }, current: { below: 250 } },
      { baseline: 200 },
      true,
    ],
  ])('%s', (_name, bounds, least, can) => {
    expect(canBeBeyond(bounds, { ...NONE, ...least })).toBe(can);
  });

  const hundredths = (least: number, most: number) =>
    fc.integer({ min: least * 100, max: most * 100 }).map((count) => count / 100);
  const side = (least: number, most: number) =>
    fc
      .record({ above: hundredths(least, most), below: hundredths(least, most) }, { requiredKeys: [] })
      .filter(({ above, below }) => above !== undefined || below !== undefined);

  test('are none that some figures are beyond', () => {
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
    'a fall of all',
    { fire: { change: { below: '-100%' } } },
    /nothing falls by more than 100 %; write "-99%" or a smaller fall/,
  ],
  [
    'bounds that exclude each other',
    { fire: { change: { above: '50%' }, difference: { below: -10 } } },
    /none can exceed these \(change above \+50 % and difference below -10\); remove one/,
  ],
  [
    'a minimum that excludes them',
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
])('the finding about %s says what would be right', (_name, overrides, says) => {
  expect(boundsRemarks(ruleNamed('a', overrides)).map(({ message }) => message)).toEqual([
    expect.stringMatching(says),
  ]);
});

test('a minimum of a mean counts what it is over, and excludes no figure', () => {
  const rule = ruleNamed('a', {
    metric: 'session_seconds',
    filters: [],
    fire: { current: { below: 5 } },
    minimum: { current: 20 },
  });
  expect(boundsRemarks(rule)).toEqual([]);
});
