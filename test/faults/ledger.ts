import type { Alert, AlertKey, Notification } from '../../shared/alerts/alert.ts';
import { itemKeyOf } from '../../shared/messages/message.ts';
import { dueNotifications } from '../../shared/notifications/notification-order.ts';
import { type Process, SKEW_MS } from './process.ts';

/** A pending notification of an alert. */
export interface PendingEntry {
  key: string;
  notification: Notification;
  alert: Alert;
}

/** A notification that is no longer pending: the alert without it, and the run that saved the alert. */
export interface Settled extends PendingEntry {
  by: string;
}

/** Every state of every alert, as it was saved. */
export class Ledger {
  readonly alerts = new Map<string, Alert>();
  readonly settled: Settled[] = [];
  /** Notifications with an attempt to send them before they were due. */
  readonly early: string[] = [];
  /** Messages to a channel that had asked to wait. */
  readonly hasty: string[] = [];
  /** What each channel asked for last. A run with a later fault may not have kept it. */
  readonly #waits = new Map<string, { untilAt: number; by: Process; faultCount: number }>();
  readonly #sendable = new WeakMap<Alert, number | null>();
  readonly #visible = new Map<string, { alert: Alert; visibleAt: number }[]>();

  /** `lagMs`: how long an index still returns the previous version. */
  saved(alert: Alert, by: Process, { now, lagMs }: { now: number; lagMs: number }): void {
    const name = nameOf(alert);
    const before = this.alerts.get(name);
    this.alerts.set(name, alert);
    const versions = this.#visible.get(name) ?? [];
    this.#visible.set(name, versions);
    const visibleAt = Math.max(now + lagMs, versions.at(-1)?.visibleAt ?? 0);
    versions.push({ alert, visibleAt });
    for (const [key, notification] of Object.entries(before?.pending ?? {})) {
      const next = alert.pending[key];
      if (!next) this.settled.push({ key, notification, by: by.name, alert });
      else if (next.attempts > notification.attempts && notification.dueAt > now + SKEW_MS)
        this.early.push(key);
    }
  }

  /** A channel refused a message of `by` and asks to wait until then. */
  asksToWait(channel: string, untilAt: number, by: Process): void {
    if (!by.isOver) this.#waits.set(channel, { untilAt, by, faultCount: by.faultCount });
  }

  /** A message reaches a channel. Clocks of both runs may be off. */
  reaches(channel: string, now: number): void {
    const wait = this.#waits.get(channel);
    if (wait && wait.faultCount === wait.by.faultCount && now < wait.untilAt - 2 * SKEW_MS)
      this.hasty.push(`${channel} at ${new Date(now).toISOString()}`);
  }

  /** The alerts as an index shows them at `now`. */
  indexedAt(now: number): Alert[] {
    return [...this.#visible.values()].flatMap(
      (versions) => versions.findLast(({ visibleAt }) => visibleAt <= now)?.alert ?? [],
    );
  }

  /** The pending notifications for this channel that an item with this key settles. */
  notificationsOf(channel: string, itemKey: string): PendingEntry[] {
    return [...this.alerts.values()].flatMap((alert) =>
      Object.entries(alert.pending).flatMap(([key, notification]) =>
        notification.channel === channel && itemKeyOf({ alert, notification }) === itemKey
          ? [{ key, notification, alert }]
          : [],
      ),
    );
  }

  /** The earliest time at which a sweep finds something to send. */
  get pendingAt(): number | null {
    const due = [...this.alerts.values()].flatMap((alert) => this.#sendableAt(alert) ?? []);
    return due.length > 0 ? Math.min(...due) : null;
  }

  /** Some of what is due waits for other messages that are not: sweeps find nothing until then. */
  #sendableAt(alert: Alert): number | undefined {
    const known = this.#sendable.get(alert);
    if (known !== undefined) return known ?? undefined;
    const times = Object.values(alert.pending).map(({ dueAt }) => dueAt);
    const at = times.toSorted((a, b) => a - b).find((each) => dueNotifications(alert, each).length > 0);
    this.#sendable.set(alert, at ?? null);
    return at;
  }
}

export function nameOf({ ruleId, segment }: AlertKey): string {
  return segment === null ? ruleId : `${ruleId} [${segment}]`;
}
