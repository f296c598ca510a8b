import { execFile } from 'node:child_process';
import { copyFile, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

test('npm ci under an old Node prints no warnings, because the project brings its own Node', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'npmrc-'));
  const project = { name: 'anything', version: '1.0.0', engines: { node: '<1' } };
  const lock = { ...project, lockfileVersion: 3, requires: true, packages: { '': project } };
  await writeFile(join(folder.path, 'package.json'), JSON.stringify(project));
  await writeFile(join(folder.path, 'package-lock.json'), JSON.stringify(lock));
  // Settings of an outer npm come first.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name)));
  const install = () => run('npm', ['ci', '--dry-run', '--offline', '--no-audit'], { cwd: folder.path, env });

  expect((await install()).stderr).toContain('EBADENGINE');
  await copyFile('.npmrc', join(folder.path, '.npmrc'));
  expect((await install()).stderr).toBe('');
});
