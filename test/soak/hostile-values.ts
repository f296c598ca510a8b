import fc from 'fast-check';

/** Texts of common attacks, and unusual valid texts. */
export const HOSTILE_TEXTS = [
  '',
  "'",
  '"',
  '\\',
  "'; DROP TABLE x; --",
  "' OR '1'='1",
  "' UNION ALL SELECT password FROM users --",
  '$1',
  `\${7*7}`,
  '%s%n%x%d',
  '%27%00',
  '\0',
  '\ud800',
  '\ud83d\ude00',
  '\u202e\u2066abc',
  'I\u0307',
  '\u2028\u2029\ufeff',
  '\r\nX-Injected: yes',
  '<script>alert(1)</script>',
  '=cmd|calc!A0',
  '__proto__',
  'constructor',
  'toString',
  'then',
  '../../../../etc/passwd',
  'http://169.254.169.254/latest/',
  'null',
  'NaN',
  '1e999',
  '0x10',
  '١٢٣',
  '2026-02-30',
  '9999-12-31',
  '2026-03-29T02:30:00',
  '2026-04-01T00:00:00+99:99',
  '2026-03-01T24:00:00Z',
  'date_range',
  'others',
  'event_custom_property',
  'x'.repeat(201),
  '\u{1f600}'.repeat(3000),
] as const;

/** Stands in a JSON value for a number that JSON can write and JavaScript cannot hold. */
const OVERFLOW = '<1e999>';
/** JSON text with numbers as large as they get. */
export const overflowing = (value: unknown): string =>
  String(JSON.stringify(value)).replaceAll(`"${OVERFLOW}"`, '1e999');

const NUMBERS = [0, -0, -1, 0.5, 2 ** 31, 2 ** 53, 2 ** 63, 1e21, 1e308, -1e308, 5e-324];

const deep = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>(
    (inner, _, at) => (at % 2 ? [inner] : { filters: inner }),
    1,
  );

/** Any JSON, and hostile JSON. */
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

/** Whether `JSON.stringify` keeps the value. */
const isJson = (value: unknown): boolean => JSON.stringify(value) !== undefined;
