/** A replacer for `JSON.stringify`: times as ISO 8601 in UTC, figures with six significant digits. */
export function jsonValue(key: string, value: unknown): unknown {
  if (typeof value !== 'number') return value;
  if (key.endsWith('At')) return new Date(value).toISOString();
  return Number.isInteger(value) ? value : Number(value.toPrecision(6));
}
