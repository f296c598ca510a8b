import { randomUUID } from 'node:crypto';
import { glob, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Lake, Stored } from '../../local/data/publish/lake.ts';
import { ConflictError, isErrorCode, UpstreamError } from '../../shared/runtime/errors.ts';

/** A folder with the layout of a bucket, created on the first put. Does not detect two writes at the same moment. */
export function folderLake(folder: string): Lake {
  return {
    list: (prefix) => translated(list(folder, prefix)),
    read: (key) => translated(read(folder, key)),
    async put(key, content, instead) {
      const path = join(folder, key);
      if ((await translated(tagOf(path))) !== instead?.tag)
        throw new ConflictError(`another process wrote ${key} in the meantime`);
      return translated(replace(path, content).then((tag) => ({ key, tag })));
    },
    async remove(keys) {
      for (const key of keys) await translated(rm(join(folder, key), { force: true }));
    },
  };
}

async function list(folder: string, prefix: string): Promise<Stored[]> {
  const stored: Stored[] = [];
  for await (const path of glob(join(prefix, '**/*.parquet'), { cwd: folder })) {
    const tag = await tagOf(join(folder, path));
    if (tag !== undefined) stored.push({ key: path.split(sep).join('/'), tag });
  }
  return stored;
}

async function read(folder: string, key: string) {
  const path = join(folder, key);
  // The tag before the content: if another process writes in between, the next put finds the conflict.
  const tag = await tagOf(path);
  return tag === undefined ? undefined : { stored: { key, tag }, content: await readFile(path) };
}

/** Each write creates a file, so a tag takes no reading. */
async function tagOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino}-${size}-${mtimeNs}`;
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Returns the tag of the new file. */
async function replace(path: string, content: Uint8Array): Promise<string> {
  // Not `.parquet`: an engine may read the folder at the same time, and must ignore this file.
  const draft = `${path}.${randomUUID()}.new`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, content).catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });
  const tag = await tagOf(draft);
  await rename(draft, path);
  return tag ?? '';
}

async function translated<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UpstreamError(`the folder to publish to cannot be used: ${reason}`, {
      retryable: false,
      cause,
    });
  });
}
