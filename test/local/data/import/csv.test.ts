import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { csvColumns, numberOrText, readCsv } from '../../../../local/data/import/csv.ts';
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
  for await (const batch of readCsv(file, await csvColumns(file))) records.push(...batch);
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

describe('readCsv', () => {
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
      values: { a: 'x\ny', b: 'z' },
    },
    { name: 'empty values', text: 'a,b\n,""\n', values: { a: '', b: '' } },
  ])('reads $name', async ({ text, values }) => {
    expect(await read(text)).toEqual([{ line: 2, values }]);
  });

  it('counts blank lines and line breaks within quotes', async () => {
    expect(await linesOf('\na,b\n\n1,2\n"x\ny",2\n3,4\n\n5\n6,7\n')).toEqual({
      good: [4, 5, 7, 10],
      bad: [9],
    });
  });

  it.each([
    { name: 'too few values', line: '1', problem: 'it has 1 values, expected 2' },
    { name: 'too many values', line: '1,2,3', problem: 'it has 3 values' },
    { name: 'text after a closing quote', line: '"x"y,2', problem: 'text after its closing quote' },
    { name: 'a quote that is never closed', line: '"x,2', problem: 'a quoted value' },
    { name: 'a quote that only a later line could close', line: '1,"x', problem: 'a quoted value' },
  ])('rejects a line with $name and reads the others', async ({ line, problem }) => {
    const text = `a,b\n1,2\n${line}\n3,4\n"q",5\n6,7\n`;
    expect(await linesOf(text)).toEqual({ good: [2, 4, 5, 6], bad: [3] });
    expect(await read(text)).toContainEqual({ line: 3, problem: expect.stringContaining(problem) });
  });

  it('rejects only the line whose quote stays open for a thousand lines', async () => {
    const rows = Array.from({ length: 5000 }, (_, i) => (i === 1500 ? '1,"x' : `${i},x`));
    const { good, bad } = await linesOf(`a,b\n${rows.join('\n')}\n`);
    expect(bad).toEqual([1502]);
    expect(good.length).toBe(4999);
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

describe('numberOrText', () => {
  it.each([
    ['12.5', 12.5],
    ['10.00', 10],
    ['0.50', 0.5],
    ['-3', -3],
    ['0', 0],
    ['9007199254740991', 9007199254740991],
  ])('reads %j as a number', (text, number) => {
    expect(numberOrText(text)).toBe(number);
  });

  it.each(['', '007', '1e5', '1.', '.5', '+1', '1,5', '1.2.3', 'NaN', '9007199254740993'])(
    'reads %j as text',
    (text) => {
      expect(numberOrText(text)).toBe(text);
    },
  );
});
