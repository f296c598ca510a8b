import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import * as z from 'zod';
import { ConfigError } from './errors.ts';

/** Throws `ConfigError` with the command that installs those of the packages that are not installed. */
export function requirePackages(...names: string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length > 0) throw missingPackages(missing);
}

/** The same for the error of an import of an optional package; `undefined` for any other error. */
export function missingPackage(error: unknown): ConfigError | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  if (error.code !== 'ERR_MODULE_NOT_FOUND' && error.code !== 'MODULE_NOT_FOUND') return undefined;
  const [, wanted = ''] = /^Cannot find (?:package|module) '([^']+)'/.exec(error.message) ?? [];
  const { optionalDependencies, peerDependencies } = manifest();
  const known = Object.keys({ ...optionalDependencies, ...peerDependencies });
  const name = known.find((each) => wanted === each || wanted.startsWith(`${each}/`));
  return name === undefined ? undefined : missingPackages([name], error);
}

/** npm can leave out the optional packages. The team installs those of the CDK itself. */
function missingPackages(names: string[], cause?: Error): ConfigError {
  const { peerDependencies } = manifest();
  const peers = names.filter((name) => Object.hasOwn(peerDependencies, name));
  const wanted = peers.map((name) => `${name}@${peerDependencies[name]?.replace(/^\^/, '')}`);
  const how = peers.length > 0 ? `--save-dev ${wanted.join(' ')}` : '--include=optional';
  const what = names.length === 1 ? 'a package that is not installed' : 'packages that are not installed';
  return new ConfigError(
    `this needs ${what} (${names.join(', ')}):\n\nnpm install ${how}`,
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

const versions = z.record(z.string(), z.string());

/** Version ranges of the packages that may be missing. */
function manifest() {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return z.object({ optionalDependencies: versions, peerDependencies: versions }).parse(JSON.parse(file));
}
