import type { Alert, Notification } from '../alerts/alert.ts';
import { notificationKey } from './notification-key.ts';
import { asksForSomebody } from './reminders.ts';

/**
 * `pending` plus the reminder that follows a snooze: the planned reminder moved to the end of the snooze, or a new
 * one. It is skipped if the alert has ended or was acknowledged by then.
 */
export function withReturn(alert: Alert, pending: Alert['pending'], sent: Notification): Alert['pending'] {
  const untilAt = alert.snoozed?.untilAt ?? null;
  if (sent.transition !== 'snoozed' || untilAt === null || !asksForSomebody(alert)) return pending;
  const isReminder = ({ transition, channel, attempts }: Notification) =>
    transition === 'reminded' && channel === sent.channel && attempts === 0;
  const reminders = Object.entries(pending).filter(([, notification]) => isReminder(notification));
  const moved = reminders.map(([key, notification]) => [key, { ...notification, dueAt: untilAt }] as const);
  if (moved.length > 0) return { ...pending, ...Object.fromEntries(moved) };
  const notification: Notification = {
    ...sent,
    transition: 'reminded',
    evaluation: null,
    dueAt: untilAt,
  };
  return { ...pending, [notificationKey(alert, notification)]: notification };
}
