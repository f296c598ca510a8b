import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadProject } from '../../../../shared/adapters/config-file/load-config.ts';

async function folderWith(files: Record<string, string>) {
  const folder = await mkdtempDisposable(join(tmpdir(), 'config-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text);
  return folder;
}

const CONFIG = "export default { rules: 'alerts' as string };";

describe('the configuration', () => {
  test('is found in a folder above', async () => {
    await using folder = await folderWith({ 'deltawatch.config.ts': CONFIG });
    const below = join(folder.path, 'alerts', 'shop');
    await mkdir(below, { recursive: true });
    expect(await loadProject(below)).toMatchObject({
      dir: folder.path,
      file: join(folder.path, 'deltawatch.config.ts'),
      config: { rules: 'alerts' },
    });
  });

  test('has its defaults without a file', async () => {
    await using folder = await folderWith({});
    expect(await loadProject(folder.path)).toEqual({
      dir: folder.path,
      file: undefined,
      config: { rules: 'rules', stages: [] },
    });
  });

  test('can be JavaScript', async () => {
    await using folder = await folderWith({ 'deltawatch.config.js': "export default { rules: 'alerts' };" });
    expect((await loadProject(folder.path)).config.rules).toBe('alerts');
  });
});

describe('the error names the file and the reason', () => {
  test.each([
    ['no default export', 'export const rules = 1;', /has no default export: write "export default/],
    ['an exception', "throw new Error('no region');\nexport default {};", /cannot be loaded: no region/],
    ['a syntax error', 'export default {', /cannot be loaded: /],
    [
      'two mistakes',
      'export default { rules: 3, stage: {} };',
      / is not valid\n {2}rules: must be text .*; found 3\n {2}stage: unknown key "stage"; did you mean "stages"\? Accepted: .*$/,
    ],
  ])('for %s', async (_, text, message) => {
    await using folder = await folderWith({ 'deltawatch.config.ts': text });
    const file = join(folder.path, 'deltawatch.config.ts');
    await expect(loadProject(folder.path)).rejects.toThrow(message);
    await expect(loadProject(folder.path)).rejects.toThrow(file);
  });
});
