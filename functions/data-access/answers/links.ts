import type { AppSettings } from '../../../shared/access/app-settings.ts';
import type { AnalyticsRow } from '../../../shared/contract/responses.ts';
import type { Span } from '../time/calendar.ts';

/** Dashboard links of one app; "" without a dashboard. */
export interface Links {
  session(id: string): string;
  user(id: string): string;
  analytics(span: Span, keys: AnalyticsRow): string;
}

export function linksOf({ id: appId, dashboardUrl }: AppSettings): Links {
  const to = (path: string) =>
    dashboardUrl === undefined ? '' : `${dashboardUrl.replace(/\/+$/, '')}/apps/${appId}/${path}`;
  return {
    session: (id) => to(`sessions/${encodeURIComponent(id)}`),
    user: (id) => to(`users/${encodeURIComponent(id)}`),
    analytics(span, keys) {
      const query = new URLSearchParams({
        from: new Date(span.from).toISOString(),
        to: new Date(span.to).toISOString(),
      });
      for (const [name, key] of Object.entries(keys)) query.set(name, String(key ?? ''));
      return to(`analytics?${query}`);
    },
  };
}
