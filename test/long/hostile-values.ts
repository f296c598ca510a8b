import fc from 'fast-check';

/** Texts that somebody tries, and some that nobody should have to try. */
export const HOSTILE_TEXTS = [
  '',
  ' ',
  "'",
  '"',
  '`',
  '\\',
  "'; DROP TABLE x; --",
  "' OR '1'='1",
  "' UNION ALL SELECT password FROM users --",
  '") OR 1=1 /*',
  '*/ 1 /*',
  '$1',
  ':name',
  '?',
  `\${7*7}`,
  '{{7*7}}',
  '%s%n%x%d',
  '%27%00',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud800',
  '\ud83d\ude00',
  '\u202e\u2066abc',
  'e\u0301',
  '\ufdfa',
  'I\u0307',
  '\u2028\u2029\ufeff',
  '\r\nX-Injected: yes',
  '<script>alert(1)</script>',
  '=cmd|calc!A0',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  '../../../../etc/passwd',
  '..\\..\\boot.ini',
  'file:///etc/passwd',
  '//evil.example/',
  'http://169.254.169.254/latest/',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e999',
  '0x10',
  '١٢٣',
  '2026-02-30',
  '0000-00-00',
  '9999-12-31',
  '2026-03-29T02:30:00',
  '2026-04-01T00:00:00+99:99',
  '-271821-04-20T00:00:00Z',
  '2026-03-01T24:00:00Z',
  '2026-13',
  'date_range',
  'others',
  'event_custom_property',
  'x'.repeat(201),
  '\u{1f600}'.repeat(3000),
] as const;

/** Stands in a JSON value for a number that JSON can write and JavaScript cannot hold. */
export const OVERFLOW = '<1e999>';
/** JSON text with numbers as large as they get. */
export const overflowing = (value: unknown): string =>
  String(JSON.stringify(value)).replaceAll(`"${OVERFLOW}"`, '1e999');

const NUMBERS = [0, -0, -1, 0.5, 2 ** 31, 2 ** 53, 2 ** 63, 1e21, 1e308, -1e308, 5e-324];

const deep = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>(
    (inner, _, at) => (at % 2 ? [inner] : { filters: inner }),
    1,
  );

/** Any JSON, and JSON that is chosen with malice. */
export function hostileValue(secrets: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom<unknown>(...HOSTILE_TEXTS) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(...secrets) },
    { weight: 2, arbitrary: fc.constantFrom<unknown>(...NUMBERS, OVERFLOW, true, false, null, [], {}, [[]]) },
    { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
    { weight: 1, arbitrary: fc.anything({ withObjectString: true, maxDepth: 2 }).filter(isJson) },
    { weight: 1, arbitrary: fc.constantFrom(15, 40, 2000).map(deep) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(51, 1001, 12_000).map((length) => Array.from({ length }, (_, at) => at)),
    },
  );
}

/** What `JSON.stringify` would not leave out. */
const isJson = (value: unknown): boolean => JSON.stringify(value) !== undefined;

type Path = readonly (string | number)[];

/** As deep and as wide as any place of a good request. */
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

/** The value with the entries of what is around `path` changed. Keys such as `__proto__` stay keys. */
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

interface Change {
  readonly name: string;
  readonly inner: unknown;
  readonly value: unknown;
  readonly place: number;
  /** Another place of the same request. */
  readonly other: Entries[number];
}

/** What is done to one place of a request. */
const CHANGES = {
  replace: ({ name, value }: Change): Entries => [[name, value]],
  wrap: ({ name, inner, place }: Change): Entries => [[name, place % 2 ? [inner] : { value: inner }]],
  repeat: ({ name, inner, place }: Change): Entries => [
    [name, Array.from({ length: 1 + (place % 60) }, () => inner)],
  ],
  rename: ({ inner, value }: Change): Entries => [[String(value), inner]],
  leaveOut: (): Entries => [],
  join: ({ name, inner, other }: Change): Entries => [[name, inner], other],
};

export interface Mutation {
  readonly place: number;
  readonly kind: keyof typeof CHANGES;
  readonly value: unknown;
}

export const mutation = (secrets: readonly string[]): fc.Arbitrary<Mutation> =>
  fc.record({
    place: fc.nat(),
    kind: fc.constantFrom('replace', 'replace', 'replace', 'wrap', 'repeat', 'rename', 'leaveOut', 'join'),
    value: hostileValue(secrets),
  });

export function mutated(request: unknown, { place, kind, value }: Mutation): unknown {
  const places = placesIn(request);
  const path = places[place % places.length] ?? [];
  const otherPath = places[(place * 31 + 7) % places.length] ?? [];
  const other: Entries[number] = [String(otherPath.at(-1) ?? 'filters'), valueAt(request, otherPath)];
  return changed(request, path, (entries, key) =>
    entries.flatMap(([name, inner]) =>
      name === key ? CHANGES[kind]({ name, inner, value, place, other }) : [[name, inner]],
    ),
  );
}

/** Of such texts no other is accepted, so that what they are put in for is never asked. */
const CHOSEN = /^\d{4}-\d\d|^(android|ios|web|[123])$/;

/** The request with every free text that it compares with, and every name of a property, put in for another. */
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

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce((inner, step) => Reflect.get(Object(inner), step), value);
