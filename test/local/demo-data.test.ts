import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isDemoShop } from '../../local/demo-data.ts';
import { temporaryFolder } from '../fixtures/deltawatch.ts';

test('isDemoShop is false for data imported as the app "demo"', async () => {
  await using folder = await temporaryFolder();
  expect(await isDemoShop(folder.path)).toBe(true);
  await writeFile(join(folder.path, 'demo.duckdb'), '');
  expect(await isDemoShop(folder.path)).toBe(false);
  await writeFile(join(folder.path, 'demo.incidents.json'), '[]');
  expect(await isDemoShop(folder.path)).toBe(true);
});
