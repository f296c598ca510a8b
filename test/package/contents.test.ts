import { globSync, readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { FUNCTIONS } from '../../infra/function-bundles.ts';
import { launch } from '../fixtures/deltawatch.ts';

const PACKAGE = 'dist/package';
const MB = 1_000_000;

interface Manifest {
  exports: Record<string, string | Record<string, string>>;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
}
const manifest: Manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));

test.each([
  ['attw', ['--profile', 'esm-only', '--quiet']],
  ['publint', ['--strict']],
])('%s has no finding', async (tool, options) => {
  const { code, stdout, stderr } = await launch(
    `node_modules/.bin/${tool}`,
    [inject('tarball'), ...options],
    process.cwd(),
  ).ended;
  expect(stdout + stderr).toEqual(tool === 'attw' ? '' : expect.stringContaining('All good'));
  expect(code).toBe(0);
});

test('the tarball is at most 9 MB, and has no sources or tests', () => {
  expect(statSync(inject('tarball')).size).toBeLessThan(9 * MB);
  const files = globSync('**/*.*', { cwd: PACKAGE });
  expect(files.filter((file) => /\.ts$/.test(file) && !file.endsWith('.d.ts'))).toEqual([]);
  expect(files.filter((file) => /\.test\.|^(test|bench|node_modules)\//.test(file))).toEqual([]);
});

test('an installation gets the versions that were tested', () => {
  const versions = (path: string): Record<string, string> => {
    const { packages }: { packages: Record<string, { version: string }> } = JSON.parse(
      readFileSync(path, 'utf8'),
    );
    return Object.fromEntries(Object.entries(packages).map(([name, { version }]) => [name, version]));
  };
  const pinned = versions(join(PACKAGE, 'npm-shrinkwrap.json'));
  expect(versions('package-lock.json')).toMatchObject(pinned);
  const named = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  expect(Object.keys(pinned)).toEqual(expect.arrayContaining(named.map((name) => `node_modules/${name}`)));
});

test('every function has its bundle, and every module a source map with its source', () => {
  for (const name of FUNCTIONS)
    expect(statSync(join(PACKAGE, 'bundles', name, 'index.mjs')).size).toBeGreaterThan(10_000);
  const scripts = [
    ...globSync('*.{js,css}', { cwd: 'functions/respond/browser' }),
    'uPlot.iife.min.js',
    'uPlot.min.css',
  ];
  for (const name of scripts)
    expect(statSync(join(PACKAGE, 'bundles', 'respond', name)).size).toBeGreaterThan(100);
  expect(statSync(join(PACKAGE, 'bundles', 'check-rules', 'date-holidays.cjs')).size).toBeGreaterThan(10_000);
  const map = JSON.parse(readFileSync(join(PACKAGE, 'cli/deltawatch.js.map'), 'utf8'));
  expect(map.sourcesContent).toEqual([readFileSync('cli/deltawatch.ts', 'utf8')]);
});

test('the licences of bundled packages are included', () => {
  const notices = readFileSync(join(PACKAGE, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  for (const name of ['zod', 'vega', 'dejavu-fonts-ttf', 'kysely', 'uplot'])
    expect(notices).toMatch(new RegExp(`^## ${name} \\d`, 'm'));
});

describe('the packages that modules import', () => {
  const modules = globSync('{cli,functions,infra,local,shared,workbench}/**/*.js', {
    cwd: PACKAGE,
  });
  const sources = modules
    // Builds the bundles in the repository; the package ships them.
    .filter((file) => file !== 'infra/bundles.js')
    .map((file) => readFileSync(join(PACKAGE, file), 'utf8'));
  const packagesIn = (pattern: RegExp) =>
    new Set(
      sources
        .flatMap((source) => [...source.matchAll(pattern)].map(([, name = '']) => name))
        .filter((name) => !name.startsWith('.') && !builtinModules.includes(name.replace(/^node:/, '')))
        .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? ''),
    );
  const always = packagesIn(/^(?:import|export)\b(?:[^'";]*?\bfrom)?\s*['"]([^'"\s]+)['"]/gm);
  const late = packagesIn(/\b(?:import|createRequire\(import\.meta\.url\))\(['"]([^'"\s]+)['"]\)/g);

  test('are dependencies; those of engines, of the construct and of mcp are only imported by those who use them', () => {
    expect(always.size).toBeGreaterThan(10);
    const others = [...always].filter((name) => !Object.hasOwn(manifest.dependencies, name));
    const engines = ['@aws-sdk/client-athena', '@duckdb/node-api'];
    expect(others.sort()).toEqual([...engines, '@modelcontextprotocol/sdk', 'aws-cdk-lib', 'constructs']);
    expect(sources.filter((source) => /\bfrom\s*['"][^'"]*\/package\.js['"]/.test(source))).toEqual([]);
  });

  test('are dependencies or optional where they are loaded late', () => {
    const known = {
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.peerDependencies,
    };
    expect(late).toContain('@duckdb/node-api');
    expect([...late].filter((name) => !Object.hasOwn(known, name))).toEqual([]);
  });

  test('are all dependencies that there are', () => {
    // The page serves the files of uPlot.
    const used = new Set([...always, ...late, 'uplot']);
    expect(Object.keys(manifest.dependencies).filter((name) => !used.has(name))).toEqual([]);
  });
});
