/** How a segment without a value of one of its attributes is written. */
const WRITTEN_NONE = '(none)';
/** The segment of rows without a value. */
export const NO_VALUE = '';
/** The segment of rows whose value is the empty string, as opposed to rows without a value. */
export const EMPTY_TEXT = '""';

/** The name of a segment of two attributes: "android, 5.2.0". Empty if neither has a value. */
export function segmentName(values: readonly string[]): string {
  return values.every((value) => value === '') ? '' : values.map(written).join(', ');
}

/** The values of a segment of two attributes; the reverse of `segmentName`. */
export function segmentValues(name: string): string[] {
  if (name === '') return ['', ''];
  const parts = name.matchAll(/(?:^|, )("(?:[^"\\]|\\.)*"(?=, |$)|[^,]*)/g);
  return [...parts].map(([, part = '']) => readValue(part));
}

function written(value: string): string {
  if (value === NO_VALUE) return WRITTEN_NONE;
  const isPlain = value === EMPTY_TEXT || !/^["\s]|,|\s$/.test(value);
  return isPlain && value !== WRITTEN_NONE ? value : JSON.stringify(value);
}

function readValue(part: string): string {
  if (part === WRITTEN_NONE) return '';
  return part.startsWith('"') && part !== EMPTY_TEXT ? String(JSON.parse(part)) : part;
}
