import { canonical } from '../text/content-hash.ts';

/** A field that differs, with its path (`fire.change.below`) and its values as rule files have them. */
export interface FieldChange {
  field: string;
  before?: string;
  after?: string;
}

/** Every field in which the two values differ. Lists are compared as a whole. */
function fieldChanges(before: object, after: object): FieldChange[] {
  const [was, is] = [new Map(leavesOf(before)), new Map(leavesOf(after))];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((field): FieldChange[] => {
    const [old, now] = [was.get(field), is.get(field)];
    if (old === now) return [];
    return [{ field, ...(old !== undefined && { before: old }), ...(now !== undefined && { after: now }) }];
  });
}

function leavesOf(value: object, path: string[] = []): [path: string, text: string][] {
  return Object.entries(value).flatMap(([key, each]: [string, unknown]): [string, string][] => {
    if (each === undefined) return [];
    const here = [...path, key];
    const isMap = typeof each === 'object' && each !== null && !Array.isArray(each);
    return isMap
      ? leavesOf(each, here)
      : [[here.join('.'), typeof each === 'string' ? each : canonical(each)]];
  });
}

/** How a named value changed. `fields` is empty if it was added or removed. */
export interface NamedChange {
  name: string;
  change: 'added' | 'changed' | 'removed';
  fields: FieldChange[];
}

/** The changes by name: first those in `after`, in its order, then the removed ones. */
export function namedChanges(before: Record<string, object>, after: Record<string, object>): NamedChange[] {
  const old = new Map(Object.entries(before));
  const kept = Object.entries(after).flatMap(([name, now]): NamedChange[] => {
    const was = old.get(name);
    if (!was) return [{ name, change: 'added', fields: [] }];
    const fields = fieldChanges(was, now);
    return fields.length === 0 ? [] : [{ name, change: 'changed', fields }];
  });
  const gone = [...old.keys()].filter((name) => !Object.hasOwn(after, name));
  return [...kept, ...gone.map((name): NamedChange => ({ name, change: 'removed', fields: [] }))];
}
