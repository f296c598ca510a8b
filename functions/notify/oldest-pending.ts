import type { Alert, Notification } from '../../shared/alerts/alert.ts';
import type { Holds } from '../../shared/notifications/holds.ts';
import { type PendingNotification, plannedAt } from '../../shared/notifications/pending.ts';

/** The notifications that should have been sent by `now`, by key. A reminder repeats what was sent already. */
export function overdueNotifications({ pending }: Alert, now: number): [string, Notification][] {
  return Object.entries(pending).filter(
    ([, { transition, dueAt, attempts }]) => transition !== 'reminded' && (dueAt <= now || attempts > 0),
  );
}

/** Since when it could be sent. */
function sendableAt(pending: PendingNotification): number {
  return Math.max(plannedAt(pending), pending.heldBy?.untilAt ?? -Infinity);
}

/** The seconds since the oldest of these could be sent. 0 without notifications, or if all are held. */
export function oldestPendingSeconds(overdue: PendingNotification[], holds: Holds, now: number): number {
  const since = overdue
    .filter((each) => !holds.isHeld(each))
    .map((each) => sendableAt({ ...each, heldBy: holds.heldBy(each) }));
  return Math.max(0, ...since.map((at) => (now - at) / 1000));
}
