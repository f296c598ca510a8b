/** An object of a lake. `tag` changes with each write. */
export interface Stored {
  readonly key: string;
  readonly tag: string;
}

/** Storage of published files. All methods throw `UpstreamError` if it is unreachable or refuses. */
export interface Lake {
  /** All Parquet files whose key begins with `prefix`. Does not read them. */
  list(prefix: string): Promise<readonly Stored[]>;
  /** The content of an object; `undefined` if it does not exist. */
  read(key: string): Promise<{ stored: Stored; content: Uint8Array } | undefined>;
  /** Atomic. `instead`: as listed. Throws `ConflictError` if another process changed the object. */
  put(key: string, content: Uint8Array, instead?: Stored): Promise<Stored>;
  remove(keys: readonly string[]): Promise<void>;
}
