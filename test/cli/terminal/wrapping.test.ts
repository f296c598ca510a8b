import fc from 'fast-check';
import { expect, test } from 'vitest';
import { folded, wrapped } from '../../../cli/terminal/wrapping.ts';

test.each([
  ['one line', 'a few words', 20, 'a few words'],
  ['between words', 'a few words', 5, 'a few\nwords'],
  ['a long name at its dashes', 'checkout-rage-by-version fell', 14, 'checkout-rage-\nby-version\nfell'],
  ['a longer one wherever it must be', 'aaaaaa', 4, 'aaaa\naa'],
])('text is folded: %s', (_, text, width, lines) => {
  expect(folded(text, width)).toBe(lines);
});

test('no letter is lost, and no line is too long', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z -]{0,60}$/), fc.integer({ min: 4, max: 30 }), (text, width) => {
      const lines = folded(text, width).split('\n');
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      for (const line of lines) expect(line.trimEnd().length).toBeLessThanOrEqual(width);
    }),
  );
});

test('lines after the first are indented', () => {
  expect(wrapped(`  ${'word '.repeat(20)}`).map((line) => /^ */.exec(line)?.[0].length)).toEqual([2, 4]);
});
