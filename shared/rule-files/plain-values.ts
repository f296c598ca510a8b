import { type Path, pathText } from './rule-source.ts';

/**
 * A copy of a value of maps, lists and scalars, without keys whose value is `undefined`. Throws `Error` with the path
 * if the value contains anything else, or itself.
 */
export function plainOf(value: unknown, path: Path = [], around: readonly unknown[] = []): unknown {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value;
  if (typeof value !== 'object') return refuse(path, value);
  if (around.includes(value)) throw new Error(`${nameOf(path)} contains itself`);
  const within = [...around, value];
  if (Array.isArray(value)) return value.map((each, i) => plainOf(each, [...path, i], within));
  if (!isMap(value)) return refuse(path, value);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) =>
      each === undefined ? [] : [[key, plainOf(each, [...path, key], within)]],
    ),
  );
}

function isMap(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function refuse(path: Path, value: unknown): never {
  throw new Error(
    `${nameOf(path)} is ${kindOf(value)}; use only strings, numbers, true, false, lists and maps`,
  );
}

function nameOf(path: Path): string {
  return path.length === 0 ? 'the default export' : pathText(path);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  return `a ${typeof value === 'object' && value !== null ? (value.constructor?.name ?? 'object') : typeof value}`;
}
