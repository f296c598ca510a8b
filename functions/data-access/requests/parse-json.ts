/** The requests of the interface need 4. */
const MOST_DEEP = 16;

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** What a text from outside says, or why it is not taken. */
export type JsonText = { kind: 'json'; value: unknown } | { kind: 'fault'; message: string };

/** Reads JSON whose lists and objects are nested at most 16 deep and whose objects have no field twice. */
export function parseJson(text: string): JsonText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault('not JSON');
  }
  const levels = levelsOf(value, MOST_DEEP + 1);
  // Schemas follow a value down by recursion; the parser does not.
  if (levels.length > MOST_DEEP) return fault(`nested over ${MOST_DEEP} deep`);
  // Of a field given twice the parser keeps the last and says nothing.
  if (fieldsWritten(text) > fieldsRead(levels)) return fault('ambiguous: an object has a field twice');
  return { kind: 'json', value };
}

const fault = (message: string): JsonText => ({ kind: 'fault', message });

/** The lists and objects of a value by how deep they lie, down to `most` levels. */
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

/** In JSON each field has a colon, and outside of strings there is no other. */
const fieldsWritten = (json: string): number => json.replace(STRING, '').split(':').length - 1;

const fieldsRead = (levels: readonly object[][]): number =>
  levels
    .flat()
    .filter((each) => !Array.isArray(each))
    .reduce((fields, each) => fields + Object.keys(each).length, 0);
