import type { Alert, Notification } from '../alerts/alert.ts';

export function without(
  pending: Alert['pending'],
  isRemoved: (key: string, notification: Notification) => boolean,
): Alert['pending'] {
  return Object.fromEntries(
    Object.entries(pending).filter(([key, notification]) => !isRemoved(key, notification)),
  );
}

/** The alert with exactly these pending notifications. */
export function withNotifications(alert: Alert, pending: Alert['pending']): Alert {
  const due = Object.values(pending).map(({ dueAt }) => dueAt);
  return { ...alert, pending, pendingAt: due.length > 0 ? Math.min(...due) : null };
}

/** The alert without the notifications of `keys`. */
export function removePending(alert: Alert, keys: readonly string[]): Alert {
  return withNotifications(
    alert,
    without(alert.pending, (key) => keys.includes(key)),
  );
}
