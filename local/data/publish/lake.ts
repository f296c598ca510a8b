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
   * Puts the whole object in the place of what was listed as `instead`, or where nothing was: whoever reads it has the
   * one or the other. Throws `ConflictError` where by now something else is there.
   */
  put(key: string, content: Uint8Array, instead?: Stored): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
}
