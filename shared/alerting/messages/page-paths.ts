import type { AlertKey } from '../alerts/alert.ts';
import { appAlertKey, appOf } from '../alerts/app-alert.ts';

/** Stands in the path where the alert is an app's own, for no rule has such an id. */
const OF_APP = 'app:';

/**
 * Where on the page one alert is shown by itself. A segment may be any text, the empty one too, and so may the name of an
 * app: they stand in the query, for some that hand on a request decode its path before they do.
 */
export function alertPath({ ruleId, segment }: AlertKey): string {
  const app = appOf({ ruleId });
  if (app !== undefined) return `/alerts/${OF_APP}?${new URLSearchParams({ app })}`;
  const path = `/alerts/${encodeURIComponent(ruleId)}`;
  return segment === null ? path : `${path}?${new URLSearchParams({ segment })}`;
}

/** Which alert is shown there: `rule` of the path, the rest of the query. */
export function alertKeyAt(rule: string, query: { app?: string; segment?: string }): AlertKey {
  if (rule === OF_APP && query.app !== undefined) return appAlertKey(query.app);
  return { ruleId: rule, segment: query.segment ?? null };
}

/** Where on the page a rule is shown; an app's own alert belongs to none. */
export function rulePath(ruleId: string): string {
  return `/rules/${encodeURIComponent(ruleId)}`;
}
