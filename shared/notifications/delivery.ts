import type { Alert, Notification, Receipt, SentNotification } from '../alerts/alert.ts';
import { withEscalationsFrom } from './escalations.ts';
import { remembered } from './notification-history.ts';
import { isOwnEnd } from './pending-notifications.ts';
import { withNotifications, without } from './pending-set.ts';
import { reminderAfter } from './reminders.ts';
import type { Repeat } from './route-settings.ts';

/** Marks the notifications of `keys` as being sent. If the sender stops, they are due again at `untilAt`. */
export function take(alert: Alert, keys: readonly string[], untilAt: number): Alert {
  const updates = keys.flatMap((key) => {
    const notification = alert.pending[key];
    if (!notification) return [];
    const next: Notification = { ...notification, dueAt: untilAt, attempts: notification.attempts + 1 };
    return [[key, next] as const];
  });
  return updates.length === 0
    ? alert
    : withNotifications(alert, { ...alert.pending, ...Object.fromEntries(updates) });
}

/** The alert after `key` was sent, with the reminder and with answers given meanwhile. `receipt`: of its message. */
export function settle(
  alert: Alert,
  key: string,
  sentAt: number,
  { repeat, receipt }: { repeat?: Repeat | undefined; receipt?: Receipt | undefined } = {},
): Alert {
  const { [key]: notification, ...pending } = alert.pending;
  if (!notification) return alert;
  const { transition, channel, windowEndAt } = notification;
  const retractedEndAt = transition === 'retracted' && notification.firedWindowEndAt;
  const sent: SentNotification = {
    ...{ transition, channel, windowEndAt, sentAt },
    ...(typeof retractedEndAt === 'number' && { firedWindowEndAt: retractedEndAt }),
    ...(receipt && { receipt }),
  };
  const before = alert.sent.filter((each) => !isSameReminder(each, sent));
  const updated = { ...alert, sent: remembered([sent, ...before]) };
  const left = withEscalationsFrom(
    without(pending, (_, other) => isSuperseded(other, notification)),
    alert,
    notification,
    sentAt,
  );
  const reminding = {
    ...left,
    ...reminderAfter(alert, notification, sentAt, repeat),
  };
  return withNotifications(updated, reminding);
}

/** After an end was sent, its beginning is not sent any more. */
function isSuperseded(beginning: Notification, end: Notification): boolean {
  const isBefore = beginning.channel === end.channel && beginning.since < end.since;
  return isBefore && isOwnEnd(end, beginning);
}

/** Only one reminder per channel is remembered, so that the fire itself is not forgotten. */
function isSameReminder(a: SentNotification, b: SentNotification): boolean {
  return a.transition === 'reminded' && b.transition === 'reminded' && a.channel === b.channel;
}
