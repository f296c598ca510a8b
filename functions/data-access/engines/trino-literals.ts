/** A value as Trino reads it in the text of a statement. Throws `TypeError` for what is no text, number or boolean. */
export function trinoLiteral(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new TypeError('a value that is no text, number or boolean');
  // A fraction without an exponent would be a DECIMAL.
  return Number.isSafeInteger(value) ? String(value) : value.toExponential();
}
