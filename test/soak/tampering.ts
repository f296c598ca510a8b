import fc from 'fast-check';
import { hostileValue } from './hostile-values.ts';

type Path = readonly (string | number)[];

/** The depth and width of the largest valid request. */
const MOST = 12;

/** The places in a JSON value, itself first. */
function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null || path.length >= MOST) return [path];
  const steps = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [
    path,
    ...steps.slice(0, MOST).flatMap((step) => placesIn(Reflect.get(value, step), [...path, step])),
  ];
}

type Entries = [key: string, value: unknown][];

/** The value with the entries of the parent of `path` changed. Keys such as `__proto__` stay keys. */
function changed(
  value: unknown,
  [step, ...rest]: Path,
  change: (entries: Entries, key: string) => Entries,
): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return value;
  const entries: Entries = Object.entries(value);
  const next =
    rest.length === 0
      ? change(entries, String(step))
      : entries.map(([key, inner]): Entries[number] => [
          key,
          key === String(step) ? changed(inner, rest, change) : inner,
        ]);
  return Array.isArray(value) ? next.map(([, inner]) => inner) : Object.fromEntries(next);
}

/** The changes to one place of a request. */
const CHANGES = {
  replace: (name: string, _: unknown, value: unknown): Entries => [[name, value]],
  wrap: (name: string, inner: unknown): Entries => [[name, [inner]]],
  repeat: (name: string, inner: unknown): Entries => [[name, Array(60).fill(inner)]],
  rename: (_: string, inner: unknown, value: unknown): Entries => [[String(value), inner]],
  leaveOut: (): Entries => [],
};

export interface Mutation {
  readonly place: number;
  readonly kind: keyof typeof CHANGES;
  readonly value: unknown;
}

export const mutation = (secrets: readonly string[]): fc.Arbitrary<Mutation> =>
  fc.record({
    place: fc.nat(),
    kind: fc.constantFrom('replace', 'replace', 'replace', 'wrap', 'repeat', 'rename', 'leaveOut'),
    value: hostileValue(secrets),
  });

export function mutated(request: unknown, { place, kind, value }: Mutation): unknown {
  const places = placesIn(request);
  const path = places[place % places.length] ?? [];
  if (path.length === 0) return kind === 'replace' ? value : request;
  return changed(request, path, (entries, key) =>
    entries.flatMap(([name, inner]) => (name === key ? CHANGES[kind](name, inner, value) : [[name, inner]])),
  );
}

/** Texts with a fixed set of values: a replacement would always be refused. */
const CHOSEN = /^\d{4}-\d\d|^(android|ios|web|[123])$/;

/** The request with every free text of a comparison and every property name replaced by `text`. */
export function poisoned(request: unknown, text: string, isCompared = false): unknown {
  if (typeof request === 'string') return isCompared && !CHOSEN.test(request) ? text : request;
  if (Array.isArray(request)) return request.map((item) => poisoned(item, text, isCompared));
  if (typeof request !== 'object' || request === null) return request;
  const entries = Object.entries(request).map(([name, inner]): Entries[number] => [
    name,
    poisoned(inner, text, isCompared || name === 'value' || name === 'property_name'),
  ]);
  return Object.fromEntries(entries);
}
