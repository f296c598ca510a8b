import { expect, test } from 'vitest';
import { SlotHistory } from '../../../shared/statistics/slot-history.ts';

/** Four slots of three numbers each. A full slot drops its oldest. */
function kept(...slots: number[][]): SlotHistory {
  const history = new SlotHistory(4, 3);
  for (const [slot, values] of slots.entries()) for (const value of values) history.push(slot, value);
  return history;
}

test.each([
  ['an empty slot', [], undefined],
  ['one number', [7], 7],
  ['two numbers', [7, 2], 4.5],
  ['three numbers', [7, 2, 3], 3],
  ['four numbers, of which the oldest is dropped,', [7, 2, 3, 10], 3],
])('median of %s', (_, values, median) => {
  const history = kept([100], values);
  expect(history.median(1)).toBe(median);
});

test('quantileNear uses a slot and its neighbours, wrapping at the end of the season', () => {
  const history = kept([1, 2], [30], [400], [5, 6, 7]);
  expect([0, 1, 2, 3].map((slot) => history.sizeNear(slot))).toEqual([6, 4, 5, 6]);
  expect([0, 0.5, 0.99].map((q) => history.quantileNear(0, q))).toEqual([1, 6, 30]);
  expect([0, 0.5, 0.99].map((q) => history.quantileNear(1, q))).toEqual([1, 30, 400]);
});

test('quantileNear reads no values of slots beyond the neighbours', () => {
  const history = kept([1, 2], [300, 400, 500], [5000], [5, 6, 7]);
  expect(history.quantileNear(3, 0.5)).toBe(6);
});
