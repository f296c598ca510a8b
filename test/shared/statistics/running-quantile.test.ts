import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RunningQuantile } from '../../../shared/statistics/running-quantile.ts';

const numbers = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 60 });

test('RunningQuantile gives the same results as sorting the last numbers', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      numbers,
      fc.integer({ min: -6, max: 6 }),
      fc.constantFrom(0, 0.25, 0.5, 0.8),
      (capacity, all, at, q) => {
        const running = new RunningQuantile(capacity, q);
        for (const each of all) running.push(each);
        const sorted = all.slice(-capacity).toSorted((a, b) => a - b);
        expect(running.size).toBe(sorted.length);
        expect(running.countFrom(at)).toBe(sorted.filter((each) => each >= at).length);
        for (let nth = 1; nth <= capacity; nth++) expect(running.largest(nth)).toBe(sorted.at(-nth) ?? 0);
        expect(running.value).toBe(sorted[Math.floor(q * sorted.length)] ?? Number.NaN);
      },
    ),
  );
});
