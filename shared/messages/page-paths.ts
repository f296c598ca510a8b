import type { AlertKey } from '../alerts/alert.ts';
import { appAlertKey, appOf } from '../alerts/app-alert.ts';

/** Replaces the rule id in the path of an app alert. No rule can have this id. */
const OF_APP = 'app:';

/**
 * The page path of one alert, with its chart until a time (epoch milliseconds) if one is given. Segment and app are
 * arbitrary text, even empty, so they go into the query: some proxies decode paths before forwarding.
 */
export function alertPath({ ruleId, segment }: AlertKey, untilAt?: number): string {
  const app = appOf({ ruleId });
  const path = `/alerts/${app === undefined ? encodeURIComponent(ruleId) : OF_APP}`;
  const query = new URLSearchParams({
    ...(app !== undefined ? { app } : segment !== null && { segment }),
    ...(untilAt !== undefined && { until: new Date(untilAt).toISOString() }),
  });
  return `${path}${query.size > 0 ? `?${query}` : ''}${untilAt === undefined ? '' : '#series'}`;
}

/** The inverse of `alertPath`: `rule` is the last part of the path. */
export function alertKeyAt(rule: string, query: { app?: string; segment?: string }): AlertKey {
  if (rule === OF_APP && query.app !== undefined) return appAlertKey(query.app);
  return { ruleId: rule, segment: query.segment ?? null };
}

/** The list of the events behind the last figure of an alert. */
export function eventsPath({ ruleId, segment }: AlertKey): string {
  const query = segment === null ? '' : `?${new URLSearchParams({ segment })}`;
  return `/alerts/${encodeURIComponent(ruleId)}/events${query}`;
}

export function rulePath(ruleId: string): string {
  return `/rules/${encodeURIComponent(ruleId)}`;
}
