import { createHash, randomUUID } from 'node:crypto';
import { glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { UpstreamError } from '../../../shared/runtime/errors.ts';
import type { Lake, Stored } from './lake.ts';

/** A folder that is laid out as a bucket would be; made on the first put. */
export function folderLake(folder: string): Lake {
  return {
    list: (prefix) => translated(list(folder, prefix)),
    put: (key, content) => translated(replace(join(folder, key), content)),
    async remove(keys) {
      for (const key of keys) await translated(rm(join(folder, key), { force: true }));
    },
  };
}

async function list(folder: string, prefix: string): Promise<Stored[]> {
  const stored: Stored[] = [];
  for await (const path of glob(join(prefix, '**/*.parquet'), { cwd: folder })) {
    const content = await readFile(join(folder, path));
    stored.push({
      key: path.split(sep).join('/'),
      md5: createHash('md5').update(content).digest('hex'),
    });
  }
  return stored;
}

async function replace(path: string, content: Uint8Array): Promise<void> {
  // Not `.parquet`: an engine that reads the folder meanwhile must not take it for one.
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
