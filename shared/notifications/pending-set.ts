import type { Alert, Notification } from '../alerts/alert.ts';
import { isAnswer, TRANSITIONS, type Transition } from '../alerts/transitions.ts';

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

export function removePending(alert: Alert, keys: readonly string[]): Alert {
  return withNotifications(
    alert,
    without(alert.pending, (key) => keys.includes(key)),
  );
}

/** The pending notifications without those of `channel` that `by` makes out of date. */
export function withoutOutdated(
  pending: Alert['pending'],
  channel: string,
  by: Transition,
): Alert['pending'] {
  return without(
    pending,
    (_, notification) =>
      notification.channel === channel &&
      notification.attempts === 0 &&
      replaces(by, notification.transition),
  );
}

/** Whether `by` makes an unsent `unsent` out of date. */
function replaces(by: Transition, unsent: Transition): boolean {
  switch (TRANSITIONS[by].replaces) {
    case 'nothing':
      return false;
    case 'itself':
      return unsent === by;
    case 'answers':
      return isAnswer(unsent);
    case 'changes':
      return TRANSITIONS[unsent].isChange;
    case 'flapping':
      return unsent === 'flapping';
    case 'health':
      return TRANSITIONS[unsent].about.includes('health');
  }
}

export function withoutReminders(pending: Alert['pending']): Alert['pending'] {
  return without(pending, (_, { transition }) => transition === 'reminded');
}
