/** Valid requests need 4. */
const MAX_DEPTH = 16;

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** The value of a JSON text, or why it is not accepted. */
export type JsonText = { kind: 'json'; value: unknown } | { kind: 'fault'; message: string };

/** Parses JSON that is nested at most 16 levels deep and whose objects repeat no field. */
export function parseJson(text: string): JsonText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault('not valid JSON');
  }
  const levels = levelsOf(value, MAX_DEPTH + 1);
  // Zod recurses into a value, so deep nesting would overflow the stack.
  if (levels.length > MAX_DEPTH) return fault(`nested deeper than ${MAX_DEPTH} levels`);
  // JSON.parse silently keeps the last of two fields with the same name.
  if (fieldsWritten(text) > fieldsRead(levels)) return fault('ambiguous: an object repeats a field');
  return { kind: 'json', value };
}

const fault = (message: string): JsonText => ({ kind: 'fault', message });

/** The arrays and objects of a value by depth, down to `most` levels. */
function levelsOf(value: unknown, most: number): object[][] {
  const levels: object[][] = [];
  let level = nestedIn([value]);
  while (level.length > 0 && levels.length < most) {
    levels.push(level);
    level = nestedIn(level.flatMap((each) => Object.values(each)));
  }
  return levels;
}

const nestedIn = (values: readonly unknown[]): object[] =>
  values.filter((value) => typeof value === 'object' && value !== null);

/** Outside of strings, JSON has exactly one colon per field. */
const fieldsWritten = (json: string): number => json.replace(STRING, '').split(':').length - 1;

const fieldsRead = (levels: readonly object[][]): number =>
  levels
    .flat()
    .filter((each) => !Array.isArray(each))
    .reduce((fields, each) => fields + Object.keys(each).length, 0);
