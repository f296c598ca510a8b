import type { Alert, Notification } from '../alerts/alert.ts';
import type { Note } from '../alerts/note.ts';
import type { Rule } from '../rules/rule.ts';
import { startAcceptedAt } from './notification-history.ts';

/** A pending notification with its alert and rule; the rule may have been removed since. */
export interface PendingNotification {
  key: string;
  alert: Alert;
  notification: Notification;
  rule: Rule | undefined;
  /** For an app alert, which has no rule: the zone that all rules of the app share. */
  zone?: string | undefined;
  /** Notes from before and during its window; absent if there are none. */
  notes?: Note[];
  /** What has held it back until now. */
  heldBy?: HeldBy | undefined;
}

/** When it was first to be sent: before retries, and if nothing had held it back. A reminder plans each attempt. */
export function plannedAt({
  alert,
  notification,
}: Pick<PendingNotification, 'alert' | 'notification'>): number {
  const { transition, since, dueAt, escalatedAfterMinutes } = notification;
  if (transition === 'reminded') return dueAt;
  if (escalatedAfterMinutes === undefined) return since;
  return (startAcceptedAt(alert, notification) ?? since) + escalatedAfterMinutes * 60_000;
}

/** What held a notification back. `name`: of the calendar, or of the person who added the silence or the snooze. */
export interface HeldBy {
  by: 'calendar' | 'silence' | 'snooze';
  name: string;
  untilAt: number;
  zone: string;
}
