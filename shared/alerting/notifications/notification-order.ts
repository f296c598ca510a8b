import type { Alert, Notification } from '../alerts/alert.ts';
import { comesBefore } from './notification-history.ts';

/** What the alert owes at `now`, by its key: nothing before what waits to be told before it. */
export function dueNotifications({ pending }: Alert, now: number): [string, Notification][] {
  const notifications = Object.entries(pending);
  const isAhead = (notification: Notification, other: Notification) =>
    other.channel === notification.channel &&
    other.dueAt > now &&
    other.since <= notification.since &&
    comesBefore(other.transition, notification.transition);
  return notifications.filter(
    ([, notification]) =>
      notification.dueAt <= now && !notifications.some(([, other]) => isAhead(notification, other)),
  );
}

/**
 * The debt, never older than what the alert owes already. A tick may be evaluated after somebody has answered, and its
 * news is told after the answer's.
 */
export function afterOthers(pending: Alert['pending'], notification: Notification): Notification {
  return {
    ...notification,
    since: Math.max(notification.since, ...Object.values(pending).map(({ since }) => since)),
  };
}
