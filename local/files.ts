import { chmod, link, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { isErrorCode } from '../shared/runtime/errors.ts';

/** Writes a file atomically, and replaces an existing one. `mode` is that of a new file. */
export async function replaceText(path: string, text: string, mode?: number): Promise<void> {
  await rename(await draftOf(path, text, mode), path);
}

/** Writes a file atomically, unless it exists. `link` fails if the target exists; a rename would overwrite it. */
export async function createText(path: string, text: string, mode?: number): Promise<void> {
  const draft = await draftOf(path, text, mode);
  try {
    await link(draft, path);
  } catch (error) {
    if (!isErrorCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Writes a new file, or none: a full disk leaves no part of it. An error names the path. */
export async function writeNew(path: string, text: string, mode?: number): Promise<void> {
  try {
    await writeFile(path, text, { mode, flag: 'wx' });
  } catch (error) {
    if (isErrorCode(error, 'ENOSPC')) await rm(path, { force: true });
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}

async function draftOf(path: string, text: string, mode: number | undefined): Promise<string> {
  const draft = `${path}.${process.pid}.new`;
  await rm(draft, { force: true });
  await writeNew(draft, text, mode).catch((error: unknown) => {
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  });
  return draft;
}

/** Creates a folder that only this user can open, or narrows an existing one, and says so. */
export async function ownFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (((await stat(path)).mode & 0o077) === 0) return;
  await chmod(path, 0o700);
  console.error(`note: other users could open ${path}; now only its owner can`);
}
