import type { Alert, Notification } from '../alerts/alert.ts';
import { firingSince } from '../alerts/answers.ts';
import { sinceOf } from '../alerts/open-alert.ts';
import { TRANSITIONS } from '../alerts/transitions.ts';
import { DAY_MS } from '../units/durations.ts';
import { notificationKey } from './notification-key.ts';
import { firstWait, type Repeat } from './route-settings.ts';

/** After this time reminders are weekly: daily ones carry no news. */
const LASTING_MS = 14 * DAY_MS;

/** Whether reminders apply: the alert fires, is not acknowledged and is not flapping. */
export function asksForSomebody(alert: Alert): boolean {
  return firingSince(alert) !== null && alert.acknowledged === null && alert.flappingSinceAt === null;
}

/** The reminder after the notification `sent`, by its key; empty if the route has no reminders. */
export function reminderAfter(
  alert: Alert,
  sent: Notification,
  sentAt: number,
  repeat: Repeat | undefined,
): Alert['pending'] {
  // The end of a snooze causes only one reminder.
  if (sent.transition === 'reminded' && sent.reminder === undefined) return {};
  const reminder = (sent.reminder ?? 0) + 1;
  const isWanted = repeat !== undefined && reminder <= (repeat.at_most ?? Infinity);
  const { reminders } = TRANSITIONS[sent.transition];
  if (!isWanted || reminders !== 'start' || !asksForSomebody(alert)) return {};
  const { escalatedAfterMinutes: _, startChannels: __, ...same } = sent;
  const pending: Notification = {
    ...same,
    transition: 'reminded',
    reminder,
    firedWindowEndAt: sent.firedWindowEndAt ?? sent.windowEndAt,
    // A reminder shows the values at the time it is sent.
    evaluation: null,
    drivers: null,
    firstRead: null,
    dueAt: sentAt + waitBefore(reminder, repeat, sentAt - sinceOf(alert)),
    attempts: 0,
  };
  return { [notificationKey(alert, pending)]: pending };
}

/** The wait in milliseconds before reminder number `reminder`, from 1. `stoodMs`: how long the alert has been firing. */
function waitBefore(reminder: number, repeat: Repeat, stoodMs = 0): number {
  const first = firstWait(repeat);
  const longest = stoodMs < LASTING_MS ? DAY_MS : 7 * DAY_MS;
  return Math.max(first, Math.min(longest, first * 2 ** (reminder - 1)));
}

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
