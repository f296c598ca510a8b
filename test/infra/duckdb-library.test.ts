import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { duckDbLibrary, LIBRARY, layerWith } from '../../infra/duckdb-library.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'duckdb-library-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), integrity: z.string().optional() }),
  ),
});

test('the library is the one of package-lock.json, and fits the JavaScript in the bundle', () => {
  const { packages } = lockSchema.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));
  const { name, ...content } = LIBRARY;
  expect(packages[`node_modules/${name}`]).toMatchObject(content);
  expect(packages['node_modules/@duckdb/node-api']?.version).toBe(LIBRARY.version);
});

test('an earlier download is used', () => {
  vi.stubEnv('HOME', folder);
  const downloaded = join(folder, '.cache', 'deltawatch', 'duckdb', LIBRARY.version);
  mkdirSync(downloaded, { recursive: true });
  expect(duckDbLibrary()).toBe(join(downloaded, 'node_modules', LIBRARY.name));
});

test('a variable names a folder instead', () => {
  vi.stubEnv('DELTAWATCH_DUCKDB_LIBRARY', folder);
  expect(duckDbLibrary()).toBe(folder);
});

test('a failed download says what npm said and what to do, and leaves nothing', () => {
  vi.stubEnv('HOME', folder);
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:1');
  vi.stubEnv('npm_config_cache', join(folder, 'npm'));
  vi.stubEnv('npm_config_fetch_retries', '0');
  let failure: unknown;
  try {
    duckDbLibrary();
  } catch (error) {
    failure = error;
  }
  expect(failure).toBeInstanceOf(ConfigError);
  const { message } = failure as ConfigError;
  for (const part of [
    '@duckdb/node-bindings-linux-arm64@',
    'ECONNREFUSED',
    'DELTAWATCH_DUCKDB_LIBRARY',
    "engine: 'athena'",
  ])
    expect(message).toContain(part);
  expect(readdirSync(join(folder, '.cache', 'deltawatch', 'duckdb'))).toEqual([]);
});

test('a layer has the package where Lambda finds it', () => {
  const library = join(folder, 'library');
  mkdirSync(library);
  writeFileSync(join(library, 'package.json'), JSON.stringify({ name: '@duckdb/library' }));
  writeFileSync(join(library, 'duckdb.node'), 'native');
  const layer = layerWith(new Stack(new App({ outdir: join(folder, 'cdk.out') }), 'Stack'), library);
  const packed = join(layer, 'nodejs', 'node_modules', '@duckdb', 'library', 'duckdb.node');
  expect(readFileSync(packed, 'utf8')).toBe('native');
  writeFileSync(join(library, 'duckdb.node'), 'newer');
  layerWith(new Stack(new App({ outdir: join(folder, 'cdk.out') }), 'Stack'), library);
  expect(readFileSync(packed, 'utf8')).toBe('newer');
});

test.each([
  ['without a native library', ['package.json']],
  ['that does not exist', undefined],
])('a folder %s is refused', (_, files) => {
  const library = join(folder, 'library');
  if (files) mkdirSync(library);
  for (const file of files ?? []) writeFileSync(join(library, file), '{ "name": "@duckdb/node-bindings" }');
  const stack = new Stack(new App({ outdir: join(folder, 'cdk.out') }), 'Stack');
  expect(() => layerWith(stack, library)).toThrow(ConfigError);
  expect(() => layerWith(stack, library)).toThrow(
    'it must be the folder of @duckdb/node-bindings-linux-arm64@',
  );
});
