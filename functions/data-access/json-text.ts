/** The requests of the interface need 4. */
const MOST_DEEP = 16;

/** What a text from outside says, or why it is not taken. */
export type JsonText = { kind: 'json'; value: unknown } | { kind: 'fault'; message: string };

/** Reads JSON whose lists and objects are nested at most 16 deep. */
export function parseJson(text: string): JsonText {
  try {
    const value: unknown = JSON.parse(text);
    // Schemas follow a value down by recursion; the parser does not.
    if (isDeeper(value, MOST_DEEP)) return { kind: 'fault', message: `nested over ${MOST_DEEP} deep` };
    return { kind: 'json', value };
  } catch {
    return { kind: 'fault', message: 'not JSON' };
  }
}

function isDeeper(value: unknown, most: number): boolean {
  let level = nestedIn([value]);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === most) return true;
    level = nestedIn(level.flatMap((each) => Object.values(each)));
  }
  return false;
}

const nestedIn = (values: readonly unknown[]): object[] =>
  values.filter((value) => typeof value === 'object' && value !== null);
