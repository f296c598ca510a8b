import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { TrinoCompiler } from '../../../../../functions/data-access/engines/trino/compiler.ts';

const trinoLiteral = (value: unknown): string => new TrinoCompiler(() => '').compile(sql`${value}`).sql;

describe('a literal', () => {
  test.each([
    ['plain', "'plain'"],
    ['', "''"],
    ["it's", "'it''s'"],
    ["'; DROP TABLE events; --", "'''; DROP TABLE events; --'"],
    ["\\'", "'\\'''"],
    ['? /* {{x}} */', "'? /* {{x}} */'"],
    ['nul \0', "'nul \0'"],
    ['half \ud800', "'half \ufffd'"],
    ['😀', "'😀'"],
    [0, '0'],
    [-0, '0'],
    [42, '42'],
    [-42, '(-42)'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [2 ** 53, '9.007199254740992E+15'],
    [1.5, '1.5E+0'],
    [-0.1, '(-1E-1)'],
    [1e21, '1E+21'],
    [5e-324, '5E-324'],
    [true, 'true'],
    [false, 'false'],
  ])('of %j is %s', (value, literal) => {
    expect(trinoLiteral(value)).toBe(literal);
  });

  test.each([
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['nothing', undefined],
    ['null', null],
    ['a bigint', 1n],
    ['a list', ['secret']],
    ['a String object', new String('secret')],
  ])('cannot be made of %s', (_, value) => {
    expect(() => trinoLiteral(value)).toThrow(TypeError);
    expect(() => trinoLiteral(value)).not.toThrow(/secret/);
  });
});

/** Reads a string literal by Trino's grammar, in which `''` is an escaped quote. */
function readText(sql: string): { value: string; rest: string } {
  const match = /^'((?:[^']|'')*)'/.exec(sql);
  if (match === null) throw new Error('no text');
  return { value: (match[1] ?? '').replaceAll("''", "'"), rest: sql.slice(match[0].length) };
}

test('the literal of any text reads back as that text, and nothing follows it', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }), (text) => {
      expect(readText(`${trinoLiteral(text)} AND true`)).toEqual({
        value: text.toWellFormed(),
        rest: ' AND true',
      });
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("'", '\\', '\n', '-', 'a') }), (text) => {
      expect(readText(`${trinoLiteral(text)}x`)).toEqual({ value: text, rest: 'x' });
    }),
  );
});

test('the literal of any number reads back as that number', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      const literal = trinoLiteral(number);
      expect(Number(literal.replace(/^\((.*)\)$/, '$1'))).toBe(number === 0 ? 0 : number);
      expect(literal).toMatch(/^(\d+|\(-\d+\)|\(?-?\d(\.\d+)?E[+-]\d+\)?)$/);
    }),
  );
});
