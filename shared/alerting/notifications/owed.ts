import type { Alert, Notification } from '../alerts/alert.ts';
import type { Rule } from '../rules/rule.ts';

/** A debt with the alert that owes it and its rule, which may have been removed since. */
export interface PendingNotification {
  key: string;
  alert: Alert;
  notification: Notification;
  rule: Rule | undefined;
  /** For the app's own alert, which has no rule: the zone that the app's rules have in common. */
  zone?: string | undefined;
  /** The calendar or the silence that has kept it back until now. */
  heldBy?: HeldBy | undefined;
}

/** What held a notification back. `name`: of the calendar, or of the person who added the silence or the snooze. */
export interface HeldBy {
  by: 'calendar' | 'silence' | 'snooze';
  name: string;
  untilAt: number;
  zone: string;
}
