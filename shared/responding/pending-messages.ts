import type { Alert } from '../alerting/alerts/alert.ts';
import { holdsAt } from '../alerting/notifications/holds.ts';
import type { PendingNotification } from '../alerting/notifications/owed.ts';
import type { Deployed } from './alert-status.ts';

/**
 * A message that is owed. `held`: nothing of it is told at the moment, because of a calendar, a silence or a snooze.
 * `later`: a reminder that comes if nobody takes the alert until then.
 */
export interface PendingMessage extends PendingNotification {
  waits: 'due' | 'held' | 'later';
}

/** How many messages are still to be sent as things stand; what is held back, or waits for its time, is not. */
export function countDue(pending: PendingMessage[]): number {
  return pending.filter(({ waits }) => waits === 'due').length;
}

/** Every message that is owed, the one that is due first, first. */
export function pendingIn(withPending: Alert[], deployed: Deployed, now: number): PendingMessage[] {
  const { byId, ruleSet, silences } = deployed;
  const holds = ruleSet && holdsAt(now, ruleSet.routes, silences);
  return withPending
    .flatMap((alert) =>
      Object.entries(alert.pending).map(([key, notification]): PendingMessage => {
        const pending = { key, alert, notification, rule: byId.get(alert.ruleId) };
        const isReminder =
          notification.transition === 'reminded' && notification.attempts === 0 && notification.dueAt > now;
        return { ...pending, waits: isReminder ? 'later' : holds?.isHeld(pending) ? 'held' : 'due' };
      }),
    )
    .toSorted((a, b) => a.notification.dueAt - b.notification.dueAt);
}
