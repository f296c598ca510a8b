/** A least-recently-used cache. A key always has the same value. */
export interface LastUsed<V> {
  find(key: string): V | undefined;
  keep(key: string, value: V): void;
}

export function lastUsed<V>(most: number): LastUsed<V> {
  // A map iterates over its keys in insertion order.
  const values = new Map<string, V>();
  const keep = (key: string, value: V) => {
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (oldest !== undefined && values.size > most) values.delete(oldest);
  };
  return {
    find(key) {
      const value = values.get(key);
      if (value !== undefined) keep(key, value);
      return value;
    },
    keep,
  };
}
