type Step = string | number;

/** A value of maps, lists and scalars alone, or the first place in it where there is something else. */
export type Plain = { kind: 'plain'; value: unknown } | { kind: 'not-plain'; path: Step[]; what: string };

/** A copy of `value` without what is `undefined`, which leaves a key out as leaving it out does. */
export function plainOf(value: unknown, path: Step[] = [], around: readonly unknown[] = []): Plain {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value))
    return { kind: 'plain', value };
  if (typeof value !== 'object' || value === undefined) return notPlain(path, nameOf(value));
  if (around.includes(value)) return notPlain(path, 'something that holds itself');
  const isList = Array.isArray(value);
  if (!isList && !isMap(value)) return notPlain(path, nameOf(value));

  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined && !isList) continue;
    const plain = plainOf(inner, [...path, isList ? Number(key) : key], [...around, value]);
    if (plain.kind === 'not-plain') return plain;
    entries.push([key, plain.value]);
  }
  return { kind: 'plain', value: isList ? entries.map(([, each]) => each) : Object.fromEntries(entries) };
}

function isMap(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function notPlain(path: Step[], what: string): Plain {
  return { kind: 'not-plain', path, what };
}

/** "a Date", "a function": what a person would call it. */
function nameOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (value instanceof Promise) return 'a promise';
  return `a ${typeof value === 'object' && value !== null ? value.constructor.name : typeof value}`;
}
