import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deltawatch, RULES, temporaryFolder } from '../../../fixtures/deltawatch.ts';

/** A repository with the rules of this one in the folder `alerts`. */
async function repository(config: string, type = 'module') {
  const folder = await temporaryFolder();
  const { path } = folder;
  await cp(RULES, join(path, 'alerts'), { recursive: true });
  await mkdir(join(path, 'src', 'shop'), { recursive: true });
  await writeFile(join(path, 'package.json'), JSON.stringify({ type }));
  await writeFile(join(path, 'deltawatch.config.ts'), config);
  return folder;
}

const ALERTS = `import { defineConfig } from 'deltawatch/config';
const rules: string = 'alerts';
export default defineConfig({ rules });
`;

describe('the configuration of a repository', () => {
  test.each(['commonjs', 'module'])('names the rules, in a package of type "%s"', async (type) => {
    await using folder = await repository(ALERTS, type);
    const { stdout, stderr, code } = await deltawatch(['check'], folder.path);
    expect({ stdout, stderr, code }).toEqual({
      stdout: expect.stringMatching(/^\d+ rules are valid/),
      ...{ stderr: '', code: 0 },
    });
  });

  test('is found from a folder below, and its paths stay those of its own folder', async () => {
    await using folder = await repository(ALERTS);
    const shop = join(folder.path, 'src', 'shop');
    const { stdout, code } = await deltawatch(['test'], shop);
    expect(stdout).toMatch(/\d+ passed, 0 failed/);
    expect(code).toBe(0);
    const { stderr } = await deltawatch(['status'], shop);
    expect(stderr).toMatch(/^error: there is no Deltawatch in \.\.\/\.\.\/\.deltawatch yet/);
  });

  test('names a service by its address and the secret with its key', async () => {
    const figures = "{ service: 'https://figures.example.com', apiKeySecret: 'shop-key' }";
    await using folder = await repository(`export default { rules: 'alerts', figures: ${figures} };`);
    const { stderr } = await deltawatch(['backtest', '--days', '1'], folder.path);
    expect(stderr).toContain('error: there is no secret "shop-key": set DELTAWATCH_SECRET_SHOP_KEY');
  });

  test('with a mistake ends the command', async () => {
    await using folder = await repository("export default { rule: 'alerts' };");
    const { stdout, stderr, code } = await deltawatch(['check'], folder.path);
    expect(stderr).toContain('  rule: unknown key "rule"; did you mean "rules"?');
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
  });
});
