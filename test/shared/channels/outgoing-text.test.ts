import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { legible, oneLine, within, withinBytes } from '../../../shared/channels/outgoing-text.ts';

const texts = fc.string({ unit: 'binary', maxLength: 60 });
const limits = fc.integer({ min: 4, max: 40 });

test.each([
  ['one\ntwo\tthree', 'one\ntwo\tthree'],
  ['bell\u0007, escape\u001b[2J', 'bell\uFFFD, escape\uFFFD[2J'],
  ['half a pair \uD83D', 'half a pair \uFFFD'],
  ['\u202Etxt.exe\u202C', '\uFFFDtxt.exe\uFFFD'],
  ['עברית, 😀', 'עברית, 😀'],
])('legible shows %j as %j', (text, shown) => {
  expect(legible(text)).toBe(shown);
});

describe('oneLine', () => {
  test.each([
    [20, ' a  b\r\nc ', 'a b c'],
    [5, 'abcdef', 'abcd…'],
    [4, 'ab😀d', 'ab…'],
    [5, 'ab😀d', 'ab😀d'],
    [5, `a${' '.repeat(50)}b`, 'a …'],
  ])('of at most %i characters: %j', (limit, text, line) => {
    expect(oneLine(limit, text)).toBe(line);
  });

  test('returns a single line within the limit', () => {
    fc.assert(
      fc.property(limits, texts, (limit, text) => {
        const line = oneLine(limit, text);
        expect(line.length).toBeLessThanOrEqual(limit);
        expect(line).not.toMatch(/\p{Cc}/u);
        expect(line.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('within and withinBytes', () => {
  test('keep a text that fits, and else cut it and append an ellipsis', () => {
    fc.assert(
      fc.property(limits, texts, (limit, text) => {
        const whole = text.toWellFormed();
        for (const [cut, fits] of [
          [within(limit, text), whole.length <= limit],
          [withinBytes(limit, text), Buffer.byteLength(whole) <= limit],
        ] as const) {
          expect(cut.isWellFormed()).toBe(true);
          if (fits) expect(cut).toBe(whole);
          else expect(cut.endsWith('…') && whole.startsWith(cut.slice(0, -1))).toBe(true);
        }
        expect(within(limit, text).length).toBeLessThanOrEqual(limit);
        expect(Buffer.byteLength(withinBytes(limit, text))).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 500 },
    );
  });
});
