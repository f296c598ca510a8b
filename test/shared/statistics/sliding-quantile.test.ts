import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SlidingQuantile } from '../../../shared/statistics/sliding-quantile.ts';

it('is the quantile of the last numbers at each step', () => {
  const number = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.double({ min: 0, max: 1, noNaN: true }));
  const quantile = fc.constantFrom(0, 0.25, 0.5, 0.8, 0.99);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), quantile, fc.array(number), (capacity, q, numbers) => {
      const sliding = new SlidingQuantile(capacity, q);
      expect(sliding.value).toBeNaN();
      for (let seen = 1; seen <= numbers.length; seen++) {
        sliding.push(numbers[seen - 1] ?? 0);
        const kept = numbers.slice(Math.max(0, seen - capacity), seen).toSorted((a, b) => a - b);
        expect(sliding.size).toBe(kept.length);
        expect(sliding.value).toBe(kept[Math.floor(q * kept.length)]);
      }
    }),
  );
});
