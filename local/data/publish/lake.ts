/** An object of a lake. `tag` changes with each write. */
export interface Stored {
  readonly key: string;
  readonly tag: string;
}

/**
 * Storage of published files. Keys contain slashes. All methods throw `UpstreamError` if the storage is unreachable
 * or refuses.
 */
export interface Lake {
  /** All Parquet files whose key begins with `prefix`. Does not read them. */
  list(prefix: string): Promise<readonly Stored[]>;
  /** The content of an object; `undefined` if it does not exist. */
  read(key: string): Promise<{ stored: Stored; content: Uint8Array } | undefined>;
  /**
   * Replaces the object listed as `instead`, or creates it, atomically. Throws `ConflictError` if another
   * process changed it.
   */
  put(key: string, content: Uint8Array, instead?: Stored): Promise<Stored>;
  remove(keys: readonly string[]): Promise<void>;
}
