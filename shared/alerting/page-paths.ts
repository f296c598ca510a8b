import type { AlertKey } from './alert.ts';

/** Where on the page one alert is shown by itself. A segment may be any text, the empty one too. */
export function alertPath({ ruleId, segment }: AlertKey): string {
  const path = `/alerts/${encodeURIComponent(ruleId)}`;
  return segment === null ? path : `${path}?${new URLSearchParams({ segment })}`;
}

/** Where on the page a rule is shown; an app's own alert belongs to none. */
export function rulePath(ruleId: string): string {
  return `/rules/${encodeURIComponent(ruleId)}`;
}
