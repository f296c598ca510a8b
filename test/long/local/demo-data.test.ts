import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { launch, temporaryFolder } from '../../fixtures/deltawatch.ts';

test('ensureDemoData interrupted on a terminal ends and leaves no partial files', async () => {
  await using folder = await temporaryFolder();
  const program = fileURLToPath(new URL('./interrupted-demo.ts', import.meta.url));
  await using writing = launch(process.execPath, [program, folder.path]);
  expect(await writing.ended).toMatchObject({ code: 0, stdout: 'interrupted' });
  expect(await readdir(folder.path)).toEqual([]);
});
