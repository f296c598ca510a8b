import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeStarter } from '../../../workbench/starter/project-files.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';

const FILES = new Map([
  ['shop.yaml', 'rules of the shop'],
  ['routes.yaml', 'routes'],
  ['schema/rules.schema.json', '{}'],
]);

test('writes missing files, keeps existing ones, and reports both', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'routes.yaml'), 'mine');
  expect(await writeStarter(folder.path, FILES, ['shop.yaml'])).toEqual({
    written: ['shop.yaml', 'schema/rules.schema.json'],
    kept: ['routes.yaml'],
  });
  expect(await readFile(join(folder.path, 'routes.yaml'), 'utf8')).toBe('mine');
  expect(await readFile(join(folder.path, 'schema/rules.schema.json'), 'utf8')).toBe('{}');
});

test('writes nothing if a file that must be new exists', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'shop.yaml'), 'mine');
  await expect(writeStarter(folder.path, FILES, ['shop.yaml'])).rejects.toThrow(
    `${join(folder.path, 'shop.yaml')} already exists, so nothing was written; use another folder`,
  );
  expect(await readdir(folder.path)).toEqual(['shop.yaml']);
});
