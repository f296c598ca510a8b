import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { publishedManifest } from '../../packaging/published-manifest.ts';

const repository: Record<string, unknown> = JSON.parse(readFileSync('package.json', 'utf8'));
const published = publishedManifest(repository);

test('every export is compiled, with its types', () => {
  expect(published.exports).toMatchObject({
    '.': { types: './workbench/api.d.ts', default: './workbench/api.js' },
    './package.json': './package.json',
  });
});

test('tsc compiles every export', () => {
  const { files } = z
    .object({ files: z.array(z.string()) })
    .parse(JSON.parse(readFileSync('tsconfig.build.json', 'utf8').replace(/^ *\/\/.*$/gm, '')));
  const sources = Object.values(z.record(z.string(), z.string()).parse(repository.exports));
  expect(sources.filter((source) => !existsSync(source))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(sources.map((source) => source.slice('./'.length))));
});

test('scripts and development packages stay in the repository, and npm refuses to publish', () => {
  expect(published).not.toHaveProperty('scripts');
  expect(published).not.toHaveProperty('devDependencies');
  expect(published).not.toHaveProperty('allowScripts');
  expect(published.private).toBe(true);
});

test('the repository tests each package of the team in the oldest version that the package accepts', () => {
  const { devDependencies } = z
    .object({ devDependencies: z.record(z.string(), z.string()) })
    .parse(repository);
  const names = Object.keys(published.peerDependencies);
  expect(Object.keys(published.peerDependenciesMeta)).toEqual(names);
  expect(published.peerDependencies).toEqual(
    Object.fromEntries(names.map((name) => [name, `^${devDependencies[name]}`])),
  );
});

test('an export that is not TypeScript is refused', () => {
  expect(() => publishedManifest({ ...repository, exports: { '.': './a.js' } })).toThrow();
});
