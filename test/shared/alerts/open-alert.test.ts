import { expect, test } from 'vitest';
import { appAlertKey } from '../../../shared/alerts/app-alert.ts';
import { sizeOf } from '../../../shared/alerts/open-alert.ts';
import { evaluationOf } from '../../fixtures/builders.ts';

test('sizeOf ranks stopped apps first, then rises from 0, larger changes and unknown changes', () => {
  const moved = (change: number | null) => ({
    ruleId: 'r',
    last: evaluationOf(1, { difference: 5, change }),
  });
  const sorted = [
    { ...appAlertKey('shop'), last: null },
    moved(null),
    moved(-0.9),
    moved(0.000002),
    moved(-1e-300),
    { ruleId: 'r', last: evaluationOf(1, { difference: null, change: null }) },
  ];
  const sizes = sorted.map(sizeOf);
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  expect(new Set(sizes).size).toBe(sorted.length);
  expect(sizeOf(moved(1e300))).toBe(sizeOf(moved(null)));
  expect(sizeOf({ ruleId: 'r', last: null })).toBe(-1);
  expect(sizeOf({ ruleId: 'r', last: evaluationOf(1, { difference: null, change: null }) })).toBe(-1);
});
