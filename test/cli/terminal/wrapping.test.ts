import fc from 'fast-check';
import { expect, test } from 'vitest';
import { folded, wrapped } from '../../../cli/terminal/wrapping.ts';

test.each([
  ['not, if it fits', 'a few words', 20, 'a few words'],
  ['between words', 'a few words', 5, 'a few\nwords'],
  ['a long name at its dashes', 'checkout-rage-by-version fell', 14, 'checkout-rage-\nby-version\nfell'],
  ['an indented one, with its indentation', '  a-long-name', 9, '  a-long-\n  name'],
  ['a longer one at any character', 'aaaaaa', 4, 'aaaa\naa'],
])('folded breaks text: %s', (_, text, width, lines) => {
  expect(folded(text, width)).toBe(lines);
});

test('folded loses no letter and exceeds no width', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^ ?[a-z-][a-z -]{0,60}$/),
      fc.integer({ min: 4, max: 30 }),
      (text, width) => {
        const lines = folded(text, width).split('\n');
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
        for (const line of lines) expect(line.trimEnd().length).toBeLessThanOrEqual(width);
      },
    ),
  );
});

test('wrapped indents lines after the first', () => {
  expect(wrapped(`  ${'word '.repeat(20)}`).map((line) => /^ */.exec(line)?.[0].length)).toEqual([2, 4]);
});
