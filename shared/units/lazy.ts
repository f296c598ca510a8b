/** A value that is made on first use. The first formatter of `Intl` takes longer than all else that a function loads. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
