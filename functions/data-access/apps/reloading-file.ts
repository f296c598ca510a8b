import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type * as z from 'zod';
import { ConfigError, UpstreamError } from '../../../shared/runtime/errors.ts';
import { Kept } from './kept.ts';

/** A value made from a file, and made again after the file is replaced. Undefined if the file does not exist. */
export class ReloadingFile<T> extends Kept<T | undefined> {
  readonly #path: string;
  #version = '';

  constructor(path: string, make: (path: string) => Promise<T>, retire: (made: T) => void = () => {}) {
    super(
      () => make(path),
      (made) => made !== undefined && retire(made),
    );
    this.#path = path;
  }

  override async get(): Promise<T | undefined> {
    const found = await stat(this.#path, { bigint: true }).catch(absent);
    if (found === undefined) {
      this.drop();
      return undefined;
    }
    const version = `${found.ino} ${found.mtimeNs} ${found.size}`;
    if (this.#version !== version) this.drop();
    this.#version = version;
    return super.get();
  }
}

/** For `catch`: undefined if a file does not exist; throws any other error. */
export function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

/**
 * For `catch`, when a request needs the file. The fault can be fixed at any time, and the path stays private.
 * @throws UpstreamError (retryable) with the file's name.
 */
export const unreadable = (path: string) => (): never => {
  const message = `${basename(path)} cannot be read or has an invalid format`;
  throw new UpstreamError(message, { retryable: true });
};

/** @throws ConfigError with the path if the content does not match `schema`; errors of the file name its path. */
export async function readJson<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  });
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ConfigError(`${path} has an invalid format: restore it, or delete it`, { cause });
  }
}
