import type { Alert, AlertKey } from './alert.ts';
import type { OpenAlert } from './open-alert.ts';

/** An alert that is stored, but not in a form that this version reads. */
export interface UnreadableAlert extends AlertKey {
  reason: string;
}

/**
 * Reading leaves out alerts that cannot be read, and calls `unreadable` with each. Such an alert is not a new one: nothing
 * is known of it, and saving it throws `UnreadableItemError`.
 */
export interface AlertStore {
  /** The alerts of these keys that exist, in no order. */
  load(keys: AlertKey[], unreadable?: (alert: UnreadableAlert) => void): Promise<Alert[]>;
  /** All alerts of one rule, its segments included. */
  loadOfRule(ruleId: string, unreadable?: (alert: UnreadableAlert) => void): Promise<Alert[]>;
  /**
   * Saves `alert` as revision `alert.revision + 1` if the stored one still is `alert.revision` (0: none is
   * stored), and returns it so. Throws `ConflictError` otherwise, changing nothing.
   */
  save(alert: Alert): Promise<Alert>;
  /** Alerts whose `owedAt` is at most `dueAt`, earliest first. */
  loadPending(dueAt: number): Promise<Alert[]>;
  /** Alerts that are not at rest (see `isAtRest`), those of apps included, in no order; they may trail behind. */
  loadOpen(unreadable?: (alert: UnreadableAlert) => void): Promise<OpenAlert[]>;
}
