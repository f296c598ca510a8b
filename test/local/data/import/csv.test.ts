import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { numberOrText, openRecords } from '../../../../local/data/import/records.ts';
import { ConfigError } from '../../../../shared/runtime/errors.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'csv-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function read(text: string) {
  const file = join(dir, 'events.csv');
  await writeFile(file, text);
  const records = [];
  for await (const batch of (await openRecords(file, 'csv')).records) records.push(...batch);
  return records;
}

async function linesOf(text: string) {
  const records = await read(text);
  const isGood = (record: (typeof records)[number]) => 'values' in record;
  return {
    good: records.filter(isGood).map(({ line }) => line),
    bad: records.filter((record) => !isGood(record)).map(({ line }) => line),
  };
}

describe('openRecords of a CSV file', () => {
  it.each([
    { name: 'plain values', text: 'a,b\n1,x\n', values: { a: '1', b: 'x' } },
    { name: 'a file that ends without a newline', text: 'a,b\n1,x', values: { a: '1', b: 'x' } },
    { name: 'Windows line ends', text: 'a,b\r\n1,x\r\n', values: { a: '1', b: 'x' } },
    { name: 'a byte order mark', text: '\uFEFFa,b\n1,x\n', values: { a: '1', b: 'x' } },
    { name: 'semicolons', text: 'a;b\n1;x,y\n', values: { a: '1', b: 'x,y' } },
    { name: 'delimiters in a quoted name', text: '"a;b;c",b\n1,x\n', values: { 'a;b;c': '1', b: 'x' } },
    { name: 'tabs', text: 'a\tb\n1\tx\n', values: { a: '1', b: 'x' } },
    {
      name: 'quoted delimiters and quotes',
      text: 'a,b\n"1,5","say ""hi"""\n',
      values: { a: '1,5', b: 'say "hi"' },
    },
    { name: 'a quoted newline', text: 'a,b\n"x\n\ny",z\n', values: { a: 'x\n\ny', b: 'z' } },
    {
      name: 'quotes inside an unquoted value',
      text: 'a,b\n6" pipe,x\n',
      values: { a: '6" pipe', b: 'x' },
    },
    {
      name: 'Windows line ends in a quoted value',
      text: 'a,b\r\n"x\r\ny",z\r\n',
      values: { a: 'x\r\ny', b: 'z' },
    },
    { name: 'empty values', text: 'a,b\n,""\n', values: { a: null, b: null } },
  ])('reads $name', async ({ text, values }) => {
    expect(await read(text)).toEqual([{ line: 2, values }]);
  });

  it('counts rows, not the line breaks in values', async () => {
    expect(await linesOf('a,b\n1,2\n"x\ny",2\n3,4\n5\n6,7\n')).toEqual({ good: [2, 3, 4, 6], bad: [5] });
  });

  it.each([
    { name: 'too few values', line: '1', problem: 'it has fewer values than the first line has columns' },
    { name: 'too many values', line: '1,2,3', problem: 'it has more values than the first line has columns' },
  ])('rejects a line with $name and reads the others', async ({ line, problem }) => {
    const records = await read(`a,b\n1,2\n${line}\n3,4\n"q",5\n${line}\n`);
    expect(records.map(({ line: at }) => at)).toEqual([2, 3, 4, 5, 6]);
    expect(records.filter((record) => 'problem' in record)).toEqual([
      { line: 3, problem },
      { line: 6, problem },
    ]);
  });

  it.each(['"x"y,2', '"x,2', '1,"x'])('refuses a file with the broken quote of %s', async (line) => {
    await expect(read(`a,b\n1,2\n${line}\n3,4\n"q",5\n6,7\n`)).rejects.toThrow(
      /^Line 3 of .*: a quoted value is not closed.*--skip-bad cannot leave out this line$/,
    );
  });

  it('reads any values written according to RFC 4180', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'ü', '"', ',', '\n', ' ', ';'),
      minLength: 1,
      maxLength: 6,
    });
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }), async (rows) => {
        const text = `a,b\n${rows.map((row) => row.map(quoted).join(',')).join('\n')}\n`;
        const records = await read(text);
        expect(records.map((record) => 'values' in record && record.values)).toEqual(
          rows.map(([a, b]) => ({ a, b })),
        );
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    { name: 'an empty file', text: '' },
    { name: 'a column named twice', text: 'a,b,a\n1,2,3\n' },
    { name: 'a column without a name', text: 'a,,b\n1,2,3\n' },
    { name: 'a broken first line', text: 'a,"b\n1,2\n' },
  ])('rejects $name', async ({ text }) => {
    await expect(read(text)).rejects.toThrow(ConfigError);
  });
});

it('numberOrText reads plain numbers, and leaves all else as text', () => {
  const numbers = ['12.5', '10.00', '0.50', '-3', '0', '9007199254740991'];
  expect(numbers.map(numberOrText)).toEqual([12.5, 10, 0.5, -3, 0, 9007199254740991]);
  const texts = ['', '007', '1e5', '1.', '.5', '+1', '1,5', '1.2.3', 'NaN', '9007199254740993'];
  expect(texts.map(numberOrText)).toEqual(texts);
});
