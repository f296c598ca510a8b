import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { QueryLimitError, UpstreamError } from '../../../../shared/runtime/errors.ts';
import { slots } from '../slots.ts';
import { unlessAborted } from '../unless-aborted.ts';

/** An object of a storage. `tag` changes with each write. */
export interface StoredFile {
  readonly key: string;
  readonly tag: string;
  readonly bytes: number;
}

/** Saves the content of `file` at `path`, complete or not at all. `changed`: the object is no longer `file`. */
export type Download = (file: StoredFile, path: string, signal: AbortSignal) => Promise<'saved' | 'changed'>;

export interface FileCacheOptions {
  /** For this cache alone. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly download: Download;
}

/** An object was replaced or removed after it was listed, or may not be read. */
export class FileChanged extends UpstreamError {
  constructor(file: StoredFile) {
    super(`${file.key} was replaced or removed while it was read, or may not be read`, { retryable: true });
  }
}

/** A file in the folder, or on its way there. Its download is a user too. */
interface Kept {
  readonly file: StoredFile;
  readonly path: string;
  readonly saved: Promise<void>;
  users: number;
}

const AT_ONCE = 16;
const DOWNLOAD_MS = 30_000;

const idOf = ({ key, tag }: StoredFile): string => `${tag} ${key}`;
const sizeOf = (files: readonly StoredFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);
const megabytes = (bytes: number): string => Math.ceil(bytes / 1e6).toLocaleString('en');

/** Local copies of objects. Concurrent users share a download. The least recently used files are deleted first. */
export class FileCache {
  readonly #options: FileCacheOptions;
  readonly #slot = slots(AT_ONCE);
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>();
  readonly #waiting: (() => void)[] = [];
  #files = 0;

  constructor(options: FileCacheOptions) {
    this.#options = options;
    mkdirSync(options.folder, { recursive: true });
  }

  /**
   * Runs `use` with the paths of the files, which stay until it has ended.
   * @throws FileChanged if an object is no longer as it was listed.
   * @throws QueryLimitError if the files exceed the storage.
   */
  async withFiles<T>(
    files: readonly StoredFile[],
    signal: AbortSignal,
    use: (pathOf: (file: StoredFile) => string) => Promise<T>,
  ): Promise<T> {
    const { maxBytes } = this.#options;
    if (sizeOf(files) > maxBytes)
      throw new QueryLimitError(
        `the files of the question have ${megabytes(sizeOf(files))} MB, and the storage of the function holds ` +
          `${megabytes(maxBytes)} MB: ask about fewer days, or set engine: 'athena' in dataAccess of the stage`,
      );
    // All at once, so that two questions never wait for each other.
    while (!this.#makeRoom(files))
      await unlessAborted(new Promise<void>((resolve) => this.#waiting.push(resolve)), signal);
    const kept = new Map(files.map((file) => [idOf(file), this.#use(file)]));
    try {
      await unlessAborted(Promise.all([...kept.values()].map(({ saved }) => saved)), signal);
      return await use((file) => kept.get(idOf(file))?.path ?? '');
    } finally {
      for (const each of kept.values()) this.#release(each);
    }
  }

  /** Deletes unused files until `files` fit. False if too many others are in use. */
  #makeRoom(files: readonly StoredFile[]): boolean {
    const wanted = new Set(files.map(idOf));
    const others = [...this.#kept].filter(([id]) => !wanted.has(id)).map(([, kept]) => kept);
    const free = this.#options.maxBytes - sizeOf(files);
    const inUse = others.filter(({ users }) => users > 0);
    if (sizeOf(inUse.map(({ file }) => file)) > free) return false;
    let used = sizeOf(others.map(({ file }) => file));
    for (const { file, path } of others.filter(({ users }) => users === 0)) {
      if (used <= free) break;
      used -= file.bytes;
      this.#kept.delete(idOf(file));
      rmSync(path, { force: true });
    }
    return true;
  }

  #use(file: StoredFile): Kept {
    const id = idOf(file);
    const kept = this.#kept.get(id) ?? this.#download(file);
    kept.users += 1;
    this.#kept.delete(id);
    this.#kept.set(id, kept);
    return kept;
  }

  #download(file: StoredFile): Kept {
    this.#files += 1;
    const path = join(this.#options.folder, `${this.#files}.parquet`);
    const kept = { file, path, saved: this.#fetch(file, path), users: 1 };
    kept.saved
      // The next user downloads the file again.
      .catch(() => this.#kept.delete(idOf(file)))
      .finally(() => this.#release(kept));
    return kept;
  }

  async #fetch(file: StoredFile, path: string): Promise<void> {
    const signal = AbortSignal.timeout(DOWNLOAD_MS);
    const release = await this.#slot(signal);
    try {
      if ((await this.#options.download(file, path, signal)) === 'changed') throw new FileChanged(file);
    } finally {
      release();
    }
  }

  #release(kept: Kept): void {
    kept.users -= 1;
    if (kept.users === 0) for (const retry of this.#waiting.splice(0)) retry();
  }
}
