import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../shared/runtime/errors.ts';

/** Paths of the created files, and of existing files left unchanged. */
export interface Written {
  written: string[];
  kept: string[];
}

/**
 * Writes files by relative path under `dir`, and never changes existing ones. Throws `ConfigError` before
 * writing where one of `fresh` exists.
 */
export async function writeStarter(
  dir: string,
  files: ReadonlyMap<string, string>,
  fresh: readonly string[],
): Promise<Written> {
  const there = await Promise.all(
    [...files.keys()].map(async (name) => ({ name, is: await exists(join(dir, name)) })),
  );
  const kept = there.filter(({ is }) => is).map(({ name }) => name);
  const [begun] = kept.filter((name) => fresh.includes(name));
  if (begun !== undefined)
    throw new ConfigError(`${join(dir, begun)} already exists, so nothing was written; use another folder`);
  const missing = [...files].filter(([name]) => !kept.includes(name));
  for (const [name, text] of missing) {
    const path = join(dir, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
  }
  return { written: missing.map(([name]) => name), kept };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
