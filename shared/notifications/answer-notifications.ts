import type { Alert, Notification } from '../alerts/alert.ts';
import { currentAnswers, tickByHand } from '../alerts/answers.ts';
import { opens, shareCondition, type Transition } from '../alerts/transitions.ts';
import { notificationKey } from './notification-key.ts';
import { asksForSomebody } from './reminders.ts';

/**
 * `pending` plus the answers to a fire that were given before `sent` was delivered. Without this, a channel notified
 * late would never get them.
 */
export function withMissedAnswers(
  alert: Alert,
  pending: Alert['pending'],
  sent: Notification,
  sentAt: number,
): Alert['pending'] {
  const isCurrent = sent.firedWindowEndAt === null || sent.firedWindowEndAt === alert.fired?.windowEndAt;
  if (!opens(sent.transition) || !isCurrent) return pending;
  const { channel } = sent;
  const isKnown = (transition: Transition, at: number) =>
    Object.values(pending).some(
      (notification) => notification.transition === transition && notification.channel === channel,
    ) ||
    alert.sent.some(
      (each) => each.transition === transition && each.channel === channel && each.sentAt >= at,
    );
  let all = pending;
  for (const { transition, reason, at } of currentAnswers(alert, sentAt)) {
    if (isKnown(transition, at) || !shareCondition(transition, sent.transition)) continue;
    const notification: Notification = {
      ...{ transition, reason, channel, route: sent.route, windowEndAt: at, since: at },
      ...{ tick: tickByHand(at).id, evaluation: alert.last, firedWindowEndAt: sent.firedWindowEndAt },
      ...{ firstRead: null, drivers: null, dueAt: sentAt, attempts: 0 },
    };
    all = withReturn(alert, { ...all, [notificationKey(alert, notification)]: notification }, notification);
  }
  return all;
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
