import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../shared/runtime/errors.ts';

/** The paths of what was written, and of what was there already and was left as it is. */
export interface Written {
  written: string[];
  kept: string[];
}

/**
 * Writes files by their paths under `dir`. What is there is never touched. Throws `ConfigError`, before anything is
 * written, where one of `fresh` is there: somebody has begun already.
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
