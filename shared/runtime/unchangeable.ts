/** Freezes `value` and everything in it. For values that are shared because copying them takes too long. */
export function unchangeable<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) unchangeable(inner);
  return Object.freeze(value);
}
