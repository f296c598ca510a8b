import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type * as z from 'zod';
import { ConfigError, UpstreamError } from '../../../shared/runtime/errors.ts';

/** A thing made from a file, and made anew when another file takes its place. */
export class FromFile<T> {
  readonly #path: string;
  readonly #make: (path: string) => Promise<T>;
  readonly #retire: (made: T) => void;
  #version = '';
  #made: Promise<T> | undefined;
  #ended = false;

  constructor(path: string, make: (path: string) => Promise<T>, retire: (made: T) => void = () => {}) {
    this.#path = path;
    this.#make = make;
    this.#retire = retire;
  }

  /** Undefined where there is no file. */
  async get(): Promise<T | undefined> {
    const found = await stat(this.#path, { bigint: true }).catch(absent);
    if (found === undefined) {
      this.drop();
      return undefined;
    }
    const version = `${found.ino} ${found.mtimeNs} ${found.size}`;
    if (this.#made === undefined || this.#version !== version) {
      this.drop();
      this.#version = version;
      const made = this.#make(this.#path);
      this.#made = made;
      // What failed to be made is tried again by the next caller.
      made.catch(() => {
        if (this.#made === made) this.#made = undefined;
      });
    }
    const given = this.#made;
    // Ended while this was looking at the file: no other will retire what was made since.
    if (this.#ended) this.drop();
    return given;
  }

  /** Drops what is made, and from now on what is yet to be made as soon as it is given. */
  end(): void {
    this.#ended = true;
    this.drop();
  }

  /** Retires what is made; the next caller has it made anew. */
  drop(): void {
    // Whoever was just handed the old thing gets to take hold of it before it is retired.
    this.#made?.then((made) => setImmediate(() => this.#retire(made))).catch(() => {});
    this.#made = undefined;
  }
}

/** For `catch`: undefined where a file is not there; throws all else. */
export function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

/**
 * For `catch`, where a request needs the file: its fault may be mended any moment, and where it lies is nobody's
 * business.
 * @throws UpstreamError (retryable) with the file's name.
 */
export const unreadable = (path: string) => (): never => {
  const message = `${basename(path)} cannot be read or is not of the form it should have`;
  throw new UpstreamError(message, { retryable: true });
};

/** @throws ConfigError that names the file where it does not hold what `schema` says. */
export async function readJson<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
  const text = await readFile(path, 'utf8');
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ConfigError(`${path} is not of the form it should have`, { cause });
  }
}
