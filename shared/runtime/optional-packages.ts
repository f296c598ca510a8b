import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import * as z from 'zod';
import { ConfigError } from './errors.ts';

/** Throws `ConfigError` with the command that installs those of the optional packages that are not installed. */
export function requirePackages(...names: string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length > 0) throw missingPackages(missing);
}

/** The same for the error of an import of an optional package; `undefined` for any other error. */
export function missingPackage(error: unknown): ConfigError | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'MODULE_NOT_FOUND') return undefined;
  const [, wanted = ''] = /^Cannot find (?:package|module) '([^']+)'/.exec(error.message) ?? [];
  const name = Object.keys(versions()).find((each) => wanted === each || wanted.startsWith(`${each}/`));
  return name === undefined ? undefined : missingPackages([name], error);
}

function missingPackages(names: string[], cause?: Error): ConfigError {
  const known = versions();
  const wanted = names.map((name) => `${name}@${known[name]?.replace(/^\^/, '')}`);
  const what = names.length === 1 ? 'a package that is not installed' : 'packages that are not installed';
  return new ConfigError(
    `this needs ${what}:\n\nnpm install --save-dev ${wanted.join(' ')}`,
    cause && { cause },
  );
}

function isInstalled(name: string): boolean {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

/** Version ranges of the optional packages. */
function versions(): Record<string, string> {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return z.object({ peerDependencies: z.record(z.string(), z.string()) }).parse(JSON.parse(file))
    .peerDependencies;
}
