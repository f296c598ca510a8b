/** An object of a lake. `md5` is in hex, if known. `tag` changes with the content. */
export interface Stored {
  readonly key: string;
  readonly tag: string;
  readonly md5?: string;
}

/**
 * Storage of published files. Keys contain slashes. All methods throw `UpstreamError` if the storage is unreachable
 * or refuses.
 */
export interface Lake {
  /** All objects whose key begins with `prefix`. */
  list(prefix: string): Promise<readonly Stored[]>;
  /**
   * Replaces the object listed as `instead`, or creates it, atomically. Throws `ConflictError` if another
   * process changed it.
   */
  put(key: string, content: Uint8Array, instead?: Stored): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
}
