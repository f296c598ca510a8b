/** Slack names an error with one word. Anything else may be a proxy's page and is not repeated. */
export function errorWordOf(body: string): string | undefined {
  return /^[a-z][a-z0-9_]{2,60}$/.exec(body.trim())?.[0];
}
