import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { demoDataFor } from '../../../local/demo-data.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { MONDAY } from '../../fixtures/builders.ts';
import { launch, temporaryFolder } from '../../fixtures/deltawatch.ts';

test('ensureDemoData interrupted on a terminal ends and leaves no partial files', async () => {
  await using folder = await temporaryFolder();
  const program = fileURLToPath(new URL('./interrupted-demo.ts', import.meta.url));
  await using writing = launch(process.execPath, [program, folder.path]);
  expect(await writing.ended).toMatchObject({ code: 0, stdout: 'interrupted' });
  expect(await readdir(folder.path)).toEqual([]);
});

test('demoDataFor writes a span once, and again after an interruption', async () => {
  await using folder = await temporaryFolder();
  const span = { from: MONDAY, to: MONDAY + DAY_MS, seed: 1 };
  const cutOff = demoDataFor(span, folder.path, () => {
    throw new Error('cut off');
  });
  await expect(cutOff).rejects.toThrow('cut off');
  const dir = await demoDataFor(span, folder.path);
  const { size, ino } = await stat(join(dir, 'demo.duckdb'));
  expect(size).toBeGreaterThan(0);
  expect(await demoDataFor(span, folder.path)).toBe(dir);
  expect(await stat(join(dir, 'demo.duckdb'))).toMatchObject({ ino });
});
