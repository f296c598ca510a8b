/** An object of a lake. `md5` is its hash in hex where the lake knows it, `tag` is another for other content. */
export interface Stored {
  readonly key: string;
  readonly tag: string;
  readonly md5?: string;
}

/**
 * Where published files lie, under keys with slashes. All methods throw `UpstreamError` where the place refuses or
 * cannot be reached.
 */
export interface Lake {
  /** All objects whose key begins with `prefix`. */
  list(prefix: string): Promise<readonly Stored[]>;
  /**
   * Replaces the object listed as `instead`, or creates it, atomically. Throws `ConflictError` where another
   * object is there now.
   */
  put(key: string, content: Uint8Array, instead?: Stored): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
}
