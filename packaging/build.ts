import { execFileSync } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleFunctions } from '../infra/bundles.ts';
import { SHIPPED_BUNDLES } from '../infra/function-bundles.ts';
import { publishedManifest } from './published-manifest.ts';
import { noticesOf } from './third-party.ts';

// Writes the npm package to dist/package: compiled modules with types, the bundles of all functions, and documents.

const ROOT = join(import.meta.dirname, '..');
const PACKAGE = join(ROOT, 'dist', 'package');

await rm(PACKAGE, { recursive: true, force: true });
execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], {
  cwd: ROOT,
  stdio: 'inherit',
});
const bundled = await bundleFunctions(join(PACKAGE, SHIPPED_BUNDLES));
await writeFile(join(PACKAGE, 'THIRD-PARTY-LICENSES.txt'), await noticesOf(bundled));
for (const name of ['action.yml', 'docs', 'templates', 'functions/respond/browser', 'LICENSE', 'README.md'])
  await cp(join(ROOT, name), join(PACKAGE, name), { recursive: true });
const manifest: unknown = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
await writeFile(join(PACKAGE, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
// Every installation gets the versions that were tested.
await cp(join(ROOT, 'package-lock.json'), join(PACKAGE, 'npm-shrinkwrap.json'));
const words = ['install', '--package-lock-only', '--offline', '--no-audit', '--no-fund', '--prefix', PACKAGE];
execFileSync('npm', words, { cwd: PACKAGE, stdio: 'inherit' });
