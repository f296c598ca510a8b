import { describe, expect, test } from 'vitest';
import { evaluated, namesIn, parseFormula, summandsOf } from '../../../shared/rules/formula.ts';

const FIGURES: Record<string, number | null> = { a: 12, b: 4, c: 2, zero: 0, none: null };

function valueOfFormula(text: string): number | null {
  const parsed = parseFormula(text);
  if (parsed.kind === 'fault') throw new Error(parsed.message);
  return evaluated(parsed.expression, (name) => FIGURES[name] ?? null);
}

test.each<[string, number | null]>([
  ['a', 12],
  ['a - b - c', 6],
  ['a / b / c', 1.5],
  ['a + b * c', 20],
  ['(a + b) * c', 32],
  ['a / (b + c)', 2],
  ['-a + 0.5', -11.5],
  ['2 * -b', -8],
  [' a\n/\tb ', 3],
  ['a / zero', null],
  ['a / (b - 2 * c)', null],
  ['a + none', null],
  ['zero / a', 0],
])('%s is %s', (text, value) => {
  expect(valueOfFormula(text)).toBe(value);
});

describe('a fault has its column', () => {
  test.each<[string, number, string]>([
    ['a +', 4, 'but the formula ends'],
    ['a + * b', 5, 'found "*"'],
    ['a b', 3, 'expected an operator, found "b"'],
    ['(a + b', 1, 'this "(" has no ")"'],
    ['a)', 2, 'expected an operator, found ")"'],
    ['a + $b', 5, 'unexpected "$"'],
    ['a ^ 2', 3, 'unexpected "^"'],
    ['A / b', 1, 'unexpected "A"'],
    ['', 1, 'but the formula ends'],
    ['1.', 2, 'unexpected "."'],
    [`a${' + a'.repeat(60)}`, 1, 'write a shorter formula'],
  ])('%s', (text, at, message) => {
    expect(parseFormula(text)).toEqual({ kind: 'fault', at, message: expect.stringContaining(message) });
  });
});

test.each<[string, string[], string[] | undefined]>([
  ['a + (b + a)', ['a', 'b'], ['a', 'b', 'a']],
  ['a - b', ['a', 'b'], undefined],
  ['a + 1', ['a'], undefined],
  ['1 + 2', [], undefined],
])('%s names %s and is the sum of %s', (text, names, summands) => {
  const parsed = parseFormula(text);
  if (parsed.kind === 'fault') throw new Error(parsed.message);
  expect(namesIn(parsed.expression)).toEqual(names);
  expect(summandsOf(parsed.expression)).toEqual(summands);
});
