import { expect, test } from 'vitest';
import { lastUsed } from '../../../functions/respond/pictures.ts';

test('keeps the most recently used values up to the limit', () => {
  const values = lastUsed<number>(2);
  values.keep('a', 1);
  values.keep('b', 2);
  expect(values.find('a')).toBe(1);
  values.keep('c', 3);
  expect(['a', 'b', 'c'].map((key) => values.find(key))).toEqual([1, undefined, 3]);
});

test('a key that is stored twice counts once', () => {
  const values = lastUsed<number>(2);
  for (const key of ['a', 'b', 'b']) values.keep(key, 1);
  expect(values.find('a')).toBe(1);
});
