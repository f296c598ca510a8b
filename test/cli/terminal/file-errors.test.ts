import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { fileFault } from '../../../cli/terminal/file-errors.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';

const failed = (code: string, path?: string) =>
  Promise.reject(Object.assign(new Error(code), { code, ...(path !== undefined && { path }) }));

const FILE = 'it is a file, but a folder is expected: move it away, or use another folder';

test.each<[what: string, act: (dir: string) => Promise<unknown>, said: string]>([
  ['a folder that is a file', (dir) => readdir(join(dir, 'file/table')), `DIR/file: ${FILE}`],
  [
    'a new folder that is a file',
    (dir) => mkdir(join(dir, 'file'), { recursive: true }),
    `DIR/file: ${FILE}`,
  ],
  ['a missing file', (dir) => readFile(join(dir, 'none')), 'DIR/none: there is no such file'],
  [
    'a file that is a folder',
    (dir) => writeFile(dir, ''),
    'DIR: it is a folder, but a file is expected: move it away',
  ],
  [
    'a forbidden file',
    () => failed('EACCES', 'a.json'),
    'a.json: this user may not read or write it: change its rights, or use another folder',
  ],
  ['a full disk', () => failed('ENOSPC'), 'the disk is full: free some space and run the command again'],
  [
    'a damaged data file',
    (dir) => DuckDBInstance.create(join(dir, 'file')),
    'DIR/file: it is damaged: restore it, or import all files of the app again, the first with --replace',
  ],
])('%s is one sentence', async (_, act, said) => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'file'), 'x'.repeat(5000));
  const error = await act(folder.path).catch((thrown: unknown) => thrown);
  expect(fileFault(error)?.message).toBe(said.replace('DIR', folder.path));
});

test('other errors have no sentence', () => {
  expect(fileFault(new TypeError('x is not a function'))).toBeUndefined();
  expect(fileFault(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toBeUndefined();
});
