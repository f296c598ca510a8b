import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inDuckDb } from '../../../../local/data/duckdb.ts';
import {
  lineOf,
  openEventFile,
  recordsSql,
  rejectedLines,
} from '../../../../local/data/import/event-file.ts';
import { ConfigError } from '../../../../shared/runtime/errors.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'csv-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function open(content: string | Buffer, format: 'csv' | 'ndjson' = 'csv') {
  const path = join(dir, `events.${format}`);
  await writeFile(path, content);
  return await openEventFile(path, format);
}

/** The cells of the readable rows by line, and the problems of the others. */
async function read(content: string | Buffer, format: 'csv' | 'ndjson' = 'csv') {
  const file = await open(content, format);
  return await inDuckDb(async (connection) => {
    const rows = (await connection.runAndReadAll(recordsSql(file))).getRowsJS();
    const rejected = await rejectedLines(connection, file);
    const good = rows.map(([n, ...cells]) => [lineOf(Number(n), file, rejected), ...cells]);
    return { names: file.header?.names, good, rejected };
  });
}

describe('a CSV file', () => {
  it.each([
    { name: 'plain values', text: 'a,b\n1,x\n', cells: ['1', 'x'] },
    { name: 'a file that ends without a newline', text: 'a,b\n1,x', cells: ['1', 'x'] },
    { name: 'Windows line ends', text: 'a,b\r\n1,x\r\n', cells: ['1', 'x'] },
    { name: 'a byte order mark', text: '\uFEFFa,b\n1,x\n', cells: ['1', 'x'] },
    { name: 'semicolons', text: 'a;b\n1;x,y\n', cells: ['1', 'x,y'] },
    { name: 'tabs', text: 'a\tb\n1\tx\n', cells: ['1', 'x'] },
    { name: 'quoted delimiters and quotes', text: 'a,b\n"1,5","say ""hi"""\n', cells: ['1,5', 'say "hi"'] },
    { name: 'a quoted newline', text: 'a,b\n"x\n\ny",z\n', cells: ['x\n\ny', 'z'] },
    { name: 'quotes inside an unquoted value', text: 'a,b\n6" pipe,x\n', cells: ['6" pipe', 'x'] },
    { name: 'empty values', text: 'a,b\n,""\n', cells: [null, null] },
  ])('has $name', async ({ text, cells }) => {
    expect(await read(text)).toEqual({ names: ['a', 'b'], good: [[2, ...cells]], rejected: [] });
  });

  it('has delimiters in a quoted name', async () => {
    expect((await read('"a;b;c",b\n1,x\n')).names).toEqual(['a;b;c', 'b']);
  });

  it('has lines by rows, and problems of those that cannot be read', async () => {
    const { good, rejected } = await read('a,b\n1,2\n5\n"x\ny",2\n3,4,5\n6,7\n');
    expect(good.map(([line]) => line)).toEqual([2, 4, 6]);
    expect(rejected).toEqual([
      { line: 3, problem: 'it has fewer values than the first line has columns' },
      { line: 5, problem: 'it has more values than the first line has columns' },
    ]);
  });

  it.each(['"x"y,2', '"x,2', '1,"x'])('is refused with the broken quote of %s', async (line) => {
    await expect(read(`a,b\n1,2\n${line}\n3,4\n"q",5\n6,7\n`)).rejects.toThrow(
      /^Line 3 of .*: a quoted value is not closed.*--skip-bad cannot leave out this line$/,
    );
  });

  it('has any values written according to RFC 4180', async () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'ü', '"', ',', '\n', ' ', ';'),
      minLength: 1,
      maxLength: 6,
    });
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }), async (rows) => {
        const text = `a,b\n${rows.map((row) => row.map(quoted).join(',')).join('\n')}\n`;
        expect((await read(text)).good).toEqual(rows.map((row, i) => [i + 2, ...row]));
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    { name: 'an empty file', text: '' },
    { name: 'a column named twice', text: 'a,b,a\n1,2,3\n' },
    { name: 'a column without a name', text: 'a,,b\n1,2,3\n' },
    { name: 'a broken first line', text: 'a,"b\n1,2\n' },
  ])('is refused as $name', async ({ text }) => {
    await expect(read(text)).rejects.toThrow(ConfigError);
  });
});

it('an NDJSON file counts blank lines', async () => {
  const { good } = await read('\uFEFF{"a":1}\r\n\r\n  \r\n{"b":"\\u0001"}\nbroken', 'ndjson');
  expect(good).toEqual([
    [1, '{"a":1}'],
    [4, '{"b":"\\u0001"}'],
    [5, 'broken'],
  ]);
});

describe('a file in another encoding', () => {
  const text = 'event_name,user_id\nb\u00FCy,u\n';
  it.each([
    ['UTF-16', Buffer.from(text, 'utf16le'), /text in UTF-16, and not CSV in UTF-8/],
    ['gzip', Buffer.from('1f8b0800', 'hex'), /is a binary or compressed file/],
    [
      'Latin-1 in its first line',
      Buffer.from('\u00FC,b\n1,2\n', 'latin1'),
      /^Line 1 of .*is not UTF-8.*iconv/,
    ],
  ])('is refused by name: %s', async (_, content, says) => {
    await expect(open(content)).rejects.toThrow(says);
  });

  it.each(['csv', 'ndjson'] as const)('has the line that is not UTF-8 in %s', async (format) => {
    const content = format === 'csv' ? `a,b\nx,y\n${'\u00FC'},z\n` : '{"a":1}\n\n{"a":"\u00FC"}\n{"a":2}\n';
    const { rejected, good } = await read(Buffer.from(content, 'latin1'), format);
    expect(rejected).toEqual([{ line: 3, problem: expect.stringContaining('it is not UTF-8') }]);
    expect(good.map(([line]) => line)).toEqual(format === 'csv' ? [2] : [1, 4]);
  });
});
