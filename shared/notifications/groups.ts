import { matchedOf } from '../silences/matching.ts';
import type { PendingNotification } from './pending.ts';
import { type Routes, routeOf, settingsOf } from './routes.ts';

/** Notifications that one channel gets in one message. */
export interface Group {
  route: string;
  pending: PendingNotification[];
}

/** The pending notifications of one channel by route and `group_by`, in the order in which they were queued. */
export function groupsOf(pending: PendingNotification[], routes: Routes): Group[] {
  const groups = new Map<string, Group>();
  for (const each of pending) {
    const route = routeOf(each, routes);
    const key = groupKey(each, route, routes);
    const group = groups.get(key) ?? { route, pending: [] };
    groups.set(key, group);
    group.pending.push(each);
  }
  return [...groups.values()];
}

function groupKey(pending: PendingNotification, route: string, routes: Routes): string {
  const matched = matchedOf(pending);
  return JSON.stringify([route, ...settingsOf(route, routes).group_by.map((by) => matched[by])]);
}
