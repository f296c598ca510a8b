import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { trinoLiteral } from '../../functions/data-access/engines/trino/compiler.ts';
import { runStatement } from './statement.ts';

/** Reads the values back from Trino in one statement. */
async function readBack(values: readonly unknown[]): Promise<readonly unknown[]> {
  const literals = values.map((value, at) => `${trinoLiteral(value)} AS c${at}`);
  return (await runStatement(inject('trino'), `SELECT ${literals.join(', ')}`)).rows[0] ?? [];
}

const ANY_UNIT = fc.nat(0xffff).map((code) => String.fromCharCode(code));
const RUNS = { numRuns: 10 };
const list = { minLength: 1, maxLength: 100 };

test('trinoLiteral preserves text', async () => {
  const texts = fc.array(fc.oneof(fc.string({ unit: ANY_UNIT }), fc.string({ unit: 'binary' })), list);
  await fc.assert(
    fc.asyncProperty(texts, async (values) => {
      expect(await readBack(values)).toEqual(values.map((value) => value.toWellFormed()));
    }),
    RUNS,
  );
});

test('trinoLiteral preserves every character, alone and together', async () => {
  const codes = [...Array(0x180).keys(), 0x2028, 0x2029, 0xfeff, 0xffff, 0x10000, 0x10ffff];
  const characters = codes.map((code) => String.fromCodePoint(code));
  const hostile = ["'; DROP TABLE events; --", "\\' OR 1=1", '/*', '--', '?', '$1', '{{x}}', '\r\n'];
  const values = [...characters, characters.join(''), ...hostile];
  expect(await readBack(values)).toEqual(values);
});

test('trinoLiteral preserves long text', async () => {
  const value = "it's".repeat(50_000);
  expect(await readBack([value])).toEqual([value]);
});

test('trinoLiteral preserves numbers and booleans', async () => {
  const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });
  const values = fc.array(fc.oneof(numbers, fc.maxSafeInteger(), fc.boolean()), list);
  await fc.assert(
    fc.asyncProperty(values, async (written) => {
      // Zero has no sign in a literal.
      expect(await readBack(written)).toEqual(written.map((value) => (value === 0 ? 0 : value)));
    }),
    RUNS,
  );
});

test('trinoLiteral gives numbers the types that arithmetic needs', async () => {
  const values = [1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1.5, true, 'x'];
  const types = values.map((value) => `typeof(${trinoLiteral(value)})`);
  const { rows } = await runStatement(inject('trino'), `SELECT ${types.join(', ')}, 3 -${trinoLiteral(-2)}`);
  expect(rows[0]).toEqual(['integer', 'bigint', 'bigint', 'double', 'double', 'boolean', 'varchar(1)', 5]);
});
