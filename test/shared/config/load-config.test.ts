import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadProject } from '../../../shared/config/load-config.ts';
import { deltawatch } from '../../fixtures/deltawatch.ts';

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

// In a process of its own, because Vitest transforms the modules that a test imports.
describe('the error has the line and the column', () => {
  test.each([
    [
      'an exception',
      'deltawatch.config.ts',
      "const a = 1;\nthrow new Error('no region');",
      "deltawatch.config.ts:2:7 no region\n  2 | throw new Error('no region');\n            ^\n",
    ],
    [
      'a syntax error',
      'deltawatch.config.ts',
      'export default {\n  stages: { live: [ } };',
      'deltawatch.config.ts:2:21 is not valid TypeScript: Expression expected\n  2 |   stages: { live: [ } };\n                          ^\n',
    ],
    [
      'a syntax error in JavaScript',
      'deltawatch.config.js',
      'export default {\n  stages: { live: [ } };',
      'deltawatch.config.js:2:21 is not valid TypeScript',
    ],
    [
      'a syntax error in a file that it imports',
      'deltawatch.config.ts',
      "import stages from './stages.ts';\nexport default { stages };",
      'stages.ts:1:18 is not valid TypeScript',
    ],
    [
      'an import that does not exist',
      'deltawatch.config.ts',
      "import { stages } from './stage.ts';",
      'deltawatch.config.ts:1:1 Cannot find module ',
    ],
  ])('of %s', async (_, name, text, message) => {
    await using folder = await folderWith({ [name]: text, 'stages.ts': 'export default { ; };' });
    const { code, stderr } = await deltawatch(['check'], folder.path);
    expect(stderr.replace(/ cannot\s+be loaded/, ' cannot be loaded')).toContain(
      `${join(folder.path, name)} cannot be loaded\n\n${message}`,
    );
    expect(code).toBe(1);
  });
});
