import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundleHandler } from '../../infra/bundles.ts';
import { pngOf } from '../../shared/charts/png.ts';
import { chartNamed } from '../fixtures/charts.ts';

const PNG = join(import.meta.dirname, '..', '..', 'shared', 'charts', 'png.ts');
const CHART = chartNamed('Purchases');
const HANDLER = `
  import { pngOf } from ${JSON.stringify(PNG)};
  export const handler = async () => Buffer.from(await pngOf(${JSON.stringify(CHART)})).toString('base64');`;
const CALL = 'const { handler } = await import(process.argv[1]); console.log(await handler());';

// There are no packages in this folder, so the fonts too must be beside the bundle.
test('a bundle draws the same picture with only the files of its folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
  try {
    await writeFile(join(folder, 'handler.ts'), HANDLER);
    await bundleHandler(join(folder, 'handler.ts'), folder);
    const args = ['--input-type=module', '--eval', CALL, join(folder, 'index.mjs')];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env: {} });
    expect(stdout.trim() === Buffer.from(await pngOf(CHART)).toString('base64')).toBe(true);
  } finally {
    await rm(folder, { recursive: true });
  }
});
