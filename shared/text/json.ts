/** The value of a JSON text; `undefined` for any other text, such as a proxy's page. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
