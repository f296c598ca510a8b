import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scale, spread, ticksTo } from '../../../../functions/respond/page/chart-scale.ts';

test.each([
  [0, [0, 0.25, 0.5, 0.75, 1]],
  [7, [0, 2, 4, 6, 8]],
  [1204, [0, 500, 1000, 1500]],
  [0.3, [0, 0.1, 0.2, 0.3]],
])('ticks to %d', (most, ticks) => {
  expect(ticksTo(most)).toEqual(ticks);
});

test('a few ticks hold every value', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (most) => {
      const ticks = ticksTo(most);
      expect(ticks.length).toBeGreaterThanOrEqual(3);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most * (1 - 1e-9));
    }),
  );
});

test('a few of many, and one of one', () => {
  const items = Array.from({ length: 72 }, (_, i) => i);
  expect(spread(items, 4)).toEqual([9, 27, 45, 63]);
  expect(spread([0, 1, 2], 4)).toEqual([0, 1, 2]);
  expect(spread([0], 4)).toEqual([0]);
});

test('an empty span has a place', () => {
  expect(scale([5, 5], [10, 20])(5)).toBe(10);
  expect(scale([0, 10], [10, 20])(5)).toBe(15);
});
