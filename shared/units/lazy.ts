/** A value that is made on first use. The first formatter of `Intl` takes longer than all else that a function loads. */
export function lazy<T>(make: () => T): () => T {
  const known = lazyBy<undefined, T>(make);
  return () => known(undefined);
}

/** The same for the value of each key. */
export function lazyBy<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, { value: V }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}

/** The value of a key, made on its first use. */
export function lazyIn<K, V>(made: Map<K, V>, key: K, make: () => V): V {
  if (!made.has(key)) made.set(key, make());
  return made.get(key) as V;
}
