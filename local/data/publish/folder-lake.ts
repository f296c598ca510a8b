import { createHash, randomUUID } from 'node:crypto';
import { glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { ConflictError, isErrorCode, UpstreamError } from '../../../shared/runtime/errors.ts';
import type { Lake, Stored } from './lake.ts';

/** A folder with the layout of a bucket, created on the first put. Does not detect two writes at the same moment. */
export function folderLake(folder: string): Lake {
  return {
    list: (prefix) => translated(list(folder, prefix)),
    async put(key, content, instead) {
      const path = join(folder, key);
      if ((await translated(md5Of(path))) !== instead?.tag)
        throw new ConflictError(`another process wrote ${key} in the meantime`);
      await translated(replace(path, content));
    },
    async remove(keys) {
      for (const key of keys) await translated(rm(join(folder, key), { force: true }));
    },
  };
}

async function list(folder: string, prefix: string): Promise<Stored[]> {
  const stored: Stored[] = [];
  for await (const path of glob(join(prefix, '**/*.parquet'), { cwd: folder })) {
    const md5 = (await md5Of(join(folder, path))) ?? '';
    stored.push({ key: path.split(sep).join('/'), tag: md5, md5 });
  }
  return stored;
}

async function md5Of(path: string): Promise<string | undefined> {
  try {
    return createHash('md5')
      .update(await readFile(path))
      .digest('hex');
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function replace(path: string, content: Uint8Array): Promise<void> {
  // Not `.parquet`: an engine may read the folder at the same time, and must ignore this file.
  const draft = `${path}.${randomUUID()}.new`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, content);
  await rename(draft, path);
}

async function translated<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UpstreamError(`the folder cannot be used: ${reason}`, { retryable: false, cause });
  });
}
