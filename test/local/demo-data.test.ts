import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isDemoShop } from '../../local/demo-data.ts';
import { launch, temporaryFolder } from '../fixtures/deltawatch.ts';

test('ensureDemoData interrupted on a terminal ends and leaves no partial files', async () => {
  await using folder = await temporaryFolder();
  const program = fileURLToPath(new URL('./interrupted-demo.ts', import.meta.url));
  await using writing = launch(process.execPath, [program, folder.path]);
  expect(await writing.ended).toMatchObject({ code: 0, stdout: 'interrupted' });
  expect(await readdir(folder.path)).toEqual([]);
});

test('isDemoShop is false for data imported as the app "demo"', async () => {
  await using folder = await temporaryFolder();
  expect(await isDemoShop(folder.path)).toBe(true);
  await writeFile(join(folder.path, 'demo.duckdb'), '');
  expect(await isDemoShop(folder.path)).toBe(false);
  await writeFile(join(folder.path, 'demo.incidents.json'), '[]');
  expect(await isDemoShop(folder.path)).toBe(true);
});
