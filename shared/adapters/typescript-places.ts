import type { Path } from './rule-source.ts';

/**
 * Where in the text of a TypeScript rule file the value at `path` of what it exports was probably written, as an offset.
 * Rules come out of loops and constants, so this goes by what the text looks like: the rule's id, or a template that
 * gives it, then the keys after it. `undefined` where nothing looks so.
 */
export function placeIn(text: string, path: Path, { id, value }: Sought): number | undefined {
  const [top, index, ...keys] = path;
  if (top === 'defaults') return placeOfKeys(text, placeOf(/\bdefaults\b/, text) ?? 0, path.slice(1), value);
  if (top !== 'rules' || index === undefined)
    return top === undefined ? undefined : placeOf(keyed(top), text);
  const start = id === undefined ? undefined : placeOfId(text, id);
  if (start === undefined)
    return onlyPlaceOf(text, keys.findLast((key) => typeof key === 'string') ?? 'rules');
  if (keys.length === 0 || keys[0] === 'id') return start;
  return placeOfKeys(text, start, keys, value) ?? start;
}

interface Sought {
  /** That of the rule. */
  id: string | undefined;
  /** What is there, which finds an item of a list. */
  value: unknown;
}

const ID = /\bid:\s*(?<quoted>(?<quote>['"`])(?<id>(?:(?!\k<quote>).)*)\k<quote>)/g;

function placeOfId(text: string, id: string): number | undefined {
  const written = [...text.matchAll(ID)].map(
    ({ index, 0: all, groups: { id: given = '', quoted = '' } = {} }) => ({
      at: index + all.length - quoted.length,
      given,
    }),
  );
  const found = written.find(({ given }) => given === id) ?? written.find(({ given }) => makes(given, id));
  return found?.at ?? placeOf(new RegExp(`(?<=(['"\`]))${escaped(id)}(?=\\1)`), text);
}

/** Whether a template, its `${…}` being anything, can give `id`. */
function makes(template: string, id: string): boolean {
  const parts = template.split(/\$\{[^}]*\}/).map(escaped);
  return parts.length > 1 && new RegExp(`^${parts.join('.+')}$`).test(id);
}

/** Follows the keys one after the other, and stays at the last that is there; an item of a list is found by its key. */
function placeOfKeys(text: string, start: number, keys: Path, value: unknown): number | undefined {
  const end = text.slice(start).search(/\bid:|\brules:/);
  const region = end > 0 ? text.slice(0, start + end) : text;
  let at: number | undefined;
  let skipped = 0;
  for (const key of keys) {
    if (typeof key === 'number') {
      skipped = key;
      continue;
    }
    const from = at ?? start;
    const places = [...region.slice(from).matchAll(keyed(key))].map(({ index }) => from + index);
    const elsewhere = at === undefined && places.length === 0 ? onlyPlaceOf(text, key) : undefined;
    const found = places[skipped] ?? elsewhere;
    if (found === undefined) break;
    at = found;
    skipped = 0;
  }
  if (at === undefined) return undefined;
  const isItem = typeof keys.at(-1) === 'number' && typeof value === 'string';
  const item = isItem ? placeOf(new RegExp(`['"\`]${escaped(String(value))}`), region.slice(at)) : undefined;
  return at + (item ?? 0);
}

/** Of a key that is written once, such as in a constant that rules share. */
function onlyPlaceOf(text: string, key: PropertyKey): number | undefined {
  const [only, ...others] = [...text.matchAll(keyed(key))];
  return others.length === 0 ? only?.index : undefined;
}

function keyed(key: PropertyKey): RegExp {
  return new RegExp(`(?<![\\w.])(['"]?)${escaped(String(key))}\\1(?=\\s*[:,}])`, 'g');
}

function placeOf(pattern: RegExp, text: string): number | undefined {
  const at = text.search(pattern);
  return at < 0 ? undefined : at;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
