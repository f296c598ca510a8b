/** A value that is made on first use. The first formatter of `Intl` takes longer than all else that a function loads. */
export function lazy<T>(make: () => T): () => T {
  const known = lazyBy<undefined, T>(make);
  return () => known(undefined);
}

type Made<K, V> = Pick<Map<K, V>, 'has' | 'get'> & { set(key: K, value: V): unknown };

/** The same for the value of each key. In a `WeakMap`, a value goes with its key. */
export function lazyBy<K, V>(make: (key: K) => V, made: Made<K, V> = new Map()): (key: K) => V {
  return (key) => lazyIn(made, key, () => make(key));
}

/** The value of a key, made on its first use. */
export function lazyIn<K, V>(made: Made<K, V>, key: K, make: () => V): V {
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as V;
}
