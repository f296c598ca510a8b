import type { Alert } from '../alerts/alert.ts';
import { holdsAt } from '../notifications/holds.ts';
import type { PendingNotification } from '../notifications/pending.ts';
import type { Deployed } from './alert-status.ts';

/** `held`: by a calendar, a silence or a snooze. `later`: a reminder that is sent unless it is acknowledged by then. */
export interface PendingMessage extends PendingNotification {
  waits: 'due' | 'held' | 'later';
}

/** The number of notifications that can be sent now. */
export function countDue(pending: PendingMessage[]): number {
  return pending.filter(({ waits }) => waits === 'due').length;
}

/** All pending notifications, in order of their due time. */
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
