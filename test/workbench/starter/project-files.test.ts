import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replacingUntouched, writeStarter } from '../../../workbench/starter/project-files.ts';
import { temporaryFolder } from '../../fixtures/deltawatch.ts';

const FILES = new Map([
  ['shop.yaml', 'rules of the shop'],
  ['routes.yaml', 'routes'],
  ['schema/rules.schema.json', '{}'],
]);

test('writes missing files, keeps existing ones, and reports both', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'routes.yaml'), 'mine');
  const path = (name: string) => join(folder.path, name);
  expect(await writeStarter(folder.path, FILES, ['shop.yaml'])).toEqual({
    written: [path('shop.yaml'), path('schema/rules.schema.json')],
    kept: [path('routes.yaml')],
  });
  expect(await readFile(join(folder.path, 'routes.yaml'), 'utf8')).toBe('mine');
  expect(await readFile(join(folder.path, 'schema/rules.schema.json'), 'utf8')).toBe('{}');
});

test('writes nothing if a file that must be new exists', async () => {
  await using folder = await temporaryFolder();
  await writeFile(join(folder.path, 'shop.yaml'), 'mine');
  await expect(writeStarter(folder.path, FILES, ['shop.yaml'])).rejects.toThrow(
    `${join(folder.path, 'shop.yaml')} already exists, so nothing was written: delete ${join(folder.path, 'shop.yaml')}, or use another folder`,
  );
  expect(await readdir(folder.path)).toEqual(['shop.yaml']);
});

test('replaces files that are untouched, restores them after a failure, and leaves changed ones', async () => {
  await using folder = await temporaryFolder();
  const paths = ['shop.yaml', 'shop.test.yaml'].map((name) => join(folder.path, name));
  const [rules = '', tests = ''] = paths;
  const demo = new Map([
    ['shop.yaml', 'demo'],
    ['shop.test.yaml', 'tests'],
  ]);
  await writeFile(rules, 'demo');
  await writeFile(tests, 'tests');
  const failing = replacingUntouched(folder.path, demo, () => Promise.reject(new Error('full')));
  await expect(failing).rejects.toThrow('full');
  expect(await readFile(rules, 'utf8')).toBe('demo');
  const write = () => writeFile(rules, 'mine', { flag: 'wx' });
  expect(await replacingUntouched(folder.path, demo, write)).toMatchObject({ removed: paths, changed: [] });
  expect(await readdir(folder.path)).toEqual(['shop.yaml']);
  const again = await replacingUntouched(folder.path, demo, async () => {});
  expect(again).toMatchObject({ removed: [], changed: [rules] });
});
