import type { Alert, Notification } from '../../shared/alerting/alerts/alert.ts';
import type { Holds } from '../../shared/alerting/notifications/holds.ts';
import type { PendingNotification } from '../../shared/alerting/notifications/pending.ts';

/** The notifications that should have been sent by `now`, by key. A reminder repeats what was sent already. */
export function overdueNotifications({ pending }: Alert, now: number): [string, Notification][] {
  return Object.entries(pending).filter(
    ([, { transition, dueAt, attempts }]) => transition !== 'reminded' && (dueAt <= now || attempts > 0),
  );
}

/** When it was first to be sent, before retries. */
export function plannedAt({ since, dueAt, attempts, escalatedAfterMinutes }: Notification): number {
  if (escalatedAfterMinutes === undefined) return since;
  return attempts === 0 ? dueAt : since + escalatedAfterMinutes * 60_000;
}

/** The seconds since the oldest of these could first be sent. 0 without notifications, or if all are held. */
export function oldestPendingSeconds(overdue: PendingNotification[], holds: Holds, now: number): number {
  const since = overdue
    .filter((each) => !holds.isHeld(each))
    .map((each) => {
      const since = plannedAt(each.notification);
      const held = holds.heldBy({ ...each, notification: { ...each.notification, dueAt: since } });
      return Math.max(since, held?.untilAt ?? since);
    });
  return Math.max(0, ...since.map((at) => (now - at) / 1000));
}
