/** Slack names an error with one word. Anything else may be a proxy's page and is not repeated. */
export function errorWordOf(body: string): string | undefined {
  return /^[a-z][a-z0-9_]{2,60}$/.exec(body.trim())?.[0];
}

/** What to do about an error word. `table`: the words of each advice. */
export function adviceFrom(table: Readonly<Record<string, string>>): (word: string | undefined) => string {
  const advice = Object.entries(table);
  return (word = '') => advice.find(([, words]) => words.split(' ').includes(word))?.[0] ?? '';
}
