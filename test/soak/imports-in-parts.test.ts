import { test } from 'vitest';
import { temporaryFolder } from '../fixtures/deltawatch.ts';
import { sameWhereverCut } from '../local/data/import/imported-shop.ts';

test('100 files give the same sessions wherever they are split in time', async () => {
  await using folder = await temporaryFolder();
  await sameWhereverCut(folder.path, 100);
});
