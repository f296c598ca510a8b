import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentExtremes } from '../../../shared/statistics/recent-extremes.ts';
import { RunningQuantile } from '../../../shared/statistics/running-quantile.ts';

const capacities = fc.integer({ min: 1, max: 9 });

test('RunningQuantile is within 2% of the quantile of the last numbers', () => {
  const numbers = fc.array(fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max: 1e9, noNaN: true })));
  fc.assert(
    fc.property(capacities, numbers, fc.constantFrom(0, 0.25, 0.5, 0.8), (capacity, all, q) => {
      const running = new RunningQuantile(capacity, q);
      for (const each of all) running.push(each);
      const sorted = all.slice(-capacity).toSorted((a, b) => a - b);
      expect(running.size).toBe(sorted.length);
      const quantile = sorted[Math.floor(q * sorted.length)] ?? Number.NaN;
      if (quantile > 0) expect(Math.abs(running.value / quantile - 1)).toBeLessThan(0.02);
      else expect(running.value).toBe(quantile);
    }),
  );
});

test('RecentExtremes gives the same results as sorting the last numbers', () => {
  const numbers = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 60 });
  fc.assert(
    fc.property(capacities, numbers, fc.integer({ min: -6, max: 6 }), (capacity, all, at) => {
      const extremes = new RecentExtremes(capacity);
      for (const each of all) extremes.push(each);
      const sorted = all.slice(-capacity).toSorted((a, b) => a - b);
      expect(extremes.size).toBe(sorted.length);
      expect(extremes.countFrom(at)).toBe(sorted.filter((each) => each >= at).length);
      for (let nth = 1; nth <= capacity; nth++) expect(extremes.largest(nth)).toBe(sorted.at(-nth) ?? 0);
    }),
  );
});
