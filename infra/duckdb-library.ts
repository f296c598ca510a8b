import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import * as z from 'zod';
import { readEnvironment } from '../shared/runtime/environment.ts';
import { ConfigError } from '../shared/runtime/errors.ts';
import { outputFolder } from './packed-bundle.ts';

/**
 * The native library of DuckDB for the functions, which run on Arm, as in package-lock.json. Its version must be that of
 * the JavaScript in the bundle.
 */
export const LIBRARY = {
  name: '@duckdb/node-bindings-linux-arm64',
  version: '1.5.5-r.5',
  integrity:
    'sha512-CafH2AIvXtpwDynG3KB/4uEOHRGlFoB7auCRMIwH3BKNIobsANV5LSpDJ3tfyRCFIsK6e8AT1eseWVnu2Dv3cw==',
} as const;

/**
 * The folder of the library. npm downloads it once into `~/.cache/deltawatch`, and verifies its content. The variable
 * `DELTAWATCH_DUCKDB_LIBRARY` names another folder, for machines that cannot reach the registry of npm.
 */
export function duckDbLibrary(): string {
  const { DELTAWATCH_DUCKDB_LIBRARY: given } = readEnvironment({
    DELTAWATCH_DUCKDB_LIBRARY: z.string().min(1).optional(),
  });
  if (given !== undefined) return given;
  const cache = join(homedir(), '.cache', 'deltawatch', 'duckdb');
  const home = join(cache, LIBRARY.version);
  if (!existsSync(home)) downloadTo(home, cache);
  return join(home, 'node_modules', LIBRARY.name);
}

function downloadTo(home: string, cache: string): void {
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, 'draft-'));
  const { name, version, integrity } = LIBRARY;
  const dependencies = { [name]: version };
  // Without the platform of the package, which is another one than that of this machine.
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } };
  try {
    writeFileSync(join(draft, 'package.json'), JSON.stringify({ private: true, dependencies }));
    writeFileSync(join(draft, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages }));
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', args, { cwd: draft, stdio: 'pipe', shell: process.platform === 'win32' });
    // A rename is atomic, so the folder is always complete. Another deployment may have made it in the meantime.
    if (!existsSync(home)) renameSync(draft, home);
  } catch (cause) {
    throw new ConfigError(
      `npm could not download ${name}@${version}, which the functions need: ${reasonOf(cause)}\n` +
        'Deploy where npm reaches a registry, set DELTAWATCH_DUCKDB_LIBRARY to a folder with this package, or set ' +
        "engine: 'athena' in dataAccess of the stage.",
      { cause },
    );
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function reasonOf(cause: unknown): string {
  const { stderr } = z
    .object({ stderr: z.instanceof(Buffer).optional() })
    .catch({})
    .parse(cause);
  const lines = (stderr?.toString() ?? '').split('\n').filter((line) => !line.includes('debug log'));
  return lines.join('\n').trim() || String(cause instanceof Error ? cause.message : cause);
}

/** A layer with the package in the folder `library`, in the output folder of the app. All stages of an app share it. */
export function layerWith(stack: Stack, library: string): string {
  const name = packageIn(library);
  const layer = join(outputFolder(stack), 'duckdb-library');
  // The CDK does not empty its output folder, which may have the library of another version.
  rmSync(layer, { recursive: true, force: true });
  cpSync(library, join(layer, 'nodejs', 'node_modules', name), { recursive: true });
  return layer;
}

/** The name of the package in the folder, which must have a native library. */
function packageIn(library: string): string {
  try {
    if (!readdirSync(library).some((file) => file.endsWith('.node')))
      throw new Error('no file ends with .node');
    const description = readFileSync(join(library, 'package.json'), 'utf8');
    return z.object({ name: z.string() }).parse(JSON.parse(description)).name;
  } catch (cause) {
    throw new ConfigError(
      `${library} is not the native library of DuckDB: it must be the folder of ${LIBRARY.name}@${LIBRARY.version}`,
      { cause },
    );
  }
}
