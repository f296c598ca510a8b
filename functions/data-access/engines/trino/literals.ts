/**
 * A value as Trino and Athena read it in a statement; safe at any place where a value may stand. A whole number that
 * fits 32 bits is an `integer` there, a larger one a `bigint`, any other a `double`.
 *
 * Throws `TypeError`, without the value, for what has no literal: NaN, the infinities, and whatever is neither text,
 * number nor boolean.
 */
export function trinoLiteral(value: unknown): string {
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return numberLiteral(value);
  throw new TypeError(`a ${typeof value} that is not a text, boolean or finite number has no literal`);
}

// Inside quotes only the quote means anything: no escapes, no comments, no parameters, not even a NUL. Half of a
// surrogate pair cannot travel as UTF-8; it becomes U+FFFD, as it does where DuckDB binds it.
const textLiteral = (text: string): string => `'${text.toWellFormed().replaceAll("'", "''")}'`;

function numberLiteral(value: number): string {
  // With an exponent, for 1.5 would be a decimal.
  const digits = Number.isSafeInteger(value) ? String(value) : value.toExponential().toUpperCase();
  // In parentheses, for `1 -` and `-1` would make a comment of all that follows.
  return value < 0 ? `(${digits})` : digits;
}
