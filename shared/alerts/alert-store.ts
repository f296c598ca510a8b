import type { Alert, AlertKey } from './alert.ts';
import type { OpenAlert } from './open-alert.ts';
import type { PastIncidents } from './past-incidents.ts';

/** A stored alert in a format that this version cannot read. */
export interface UnreadableAlert extends AlertKey {
  reason: string;
}

/**
 * Reads skip alerts that cannot be parsed and call `unreadable` with each. Such an alert is not new: saving over it
 * throws `UnreadableItemError`.
 */
export interface AlertStore {
  /** The existing alerts of these keys, in no order. */
  load(keys: AlertKey[], unreadable?: (alert: UnreadableAlert) => void): Promise<Alert[]>;
  /** All alerts of one rule, including its segments. */
  loadOfRule(ruleId: string, unreadable?: (alert: UnreadableAlert) => void): Promise<Alert[]>;
  /**
   * Saves `alert` as revision `alert.revision + 1` and returns it, if the stored revision is `alert.revision` (0: none
   * is stored). Throws `ConflictError` otherwise, without a change.
   */
  save(alert: Alert): Promise<Alert>;
  /** Alerts whose `pendingAt` is at most `dueAt`, earliest first. */
  loadPending(dueAt: number): Promise<Alert[]>;
  /** Alerts that are not at rest (see `isAtRest`), including app alerts, in no order. The result may lag behind. */
  loadOpen(unreadable?: (alert: UnreadableAlert) => void): Promise<OpenAlert[]>;
  /**
   * The incidents of alerts that are open, and of alerts at rest with an incident of the last `LISTED_DAYS`, in no order.
   * The result may lag behind.
   */
  loadIncidents(unreadable?: (alert: UnreadableAlert) => void): Promise<PastIncidents[]>;
}
