import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { launch, temporaryFolder } from '../fixtures/deltawatch.ts';

const RULE = `import { defineRules } from 'deltawatch/rules';
export default defineRules({
  rules: [
    { id: 'a', title: 'A', app: 'shop', owner: 'team', every: 'day at 07:00', metric: 'sessions', anomaly: true },
  ],
});
`;

/** Node does not strip types from files below node_modules, where packages are. */
test('the command runs from node_modules, with rules in TypeScript', async () => {
  await using folder = await temporaryFolder();
  const own = join(folder.path, 'node_modules/deltawatch');
  await mkdir(join(folder.path, 'rules'), { recursive: true });
  await writeFile(join(folder.path, 'rules/a.rules.ts'), RULE);
  await writeFile(
    join(folder.path, 'rules/routes.yaml'),
    'channels: { team: { slack: { webhook_secret: a } } }\ndefault: [team]\n',
  );
  for (const part of ['cli', 'functions', 'local', 'operations', 'shared', 'workbench', 'package.json'])
    await cp(part, join(own, part), { recursive: true });
  await symlink(join(process.cwd(), 'node_modules'), join(own, 'node_modules'));

  const checked = await launch(process.execPath, [join(own, 'cli/bin.js'), 'check'], folder.path).ended;
  expect(checked).toEqual({ code: 0, stdout: expect.stringContaining('1 rule is valid'), stderr: '' });
});
