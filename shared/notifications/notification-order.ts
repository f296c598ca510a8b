import type { Alert, Notification } from '../alerts/alert.ts';
import { comesBefore } from './notification-history.ts';

/** The notifications due at `now`, by key, without those that must wait for an earlier one. */
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

/** No older than those pending: a run evaluated after an answer must follow the answer. */
export function afterOthers(pending: Alert['pending'], notification: Notification): Notification {
  return {
    ...notification,
    since: Math.max(notification.since, ...Object.values(pending).map(({ since }) => since)),
  };
}
