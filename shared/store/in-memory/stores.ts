import type { Alert, AlertKey } from '../../alerts/alert.ts';
import type { AlertStore } from '../../alerts/alert-store.ts';
import { isAtRest, openAlert } from '../../alerts/open-alert.ts';
import { hasListedIncident, pastIncidents } from '../../alerts/past-incidents.ts';
import type { Delivery, DeliveryLog } from '../../notifications/delivery-log.ts';
import type { Snapshot } from '../../readings/reading.ts';
import type { ReadingStore } from '../../readings/snapshots.ts';
import { ManualClock } from '../../runtime/clock.ts';
import { ConflictError } from '../../runtime/errors.ts';
import { unchangeable } from '../../runtime/unchangeable.ts';
import { noteStoreIn } from '../note-store.ts';
import { ruleStoreIn } from '../rule-store.ts';
import { runStoreIn } from '../run-store.ts';
import { silenceStoreIn } from '../silence-store.ts';
import { openSqliteTable } from '../sqlite-table.ts';
import type { Stores } from '../stores.ts';
import { testNotificationsIn } from '../test-notifications.ts';

export function inMemoryStores(): Stores {
  // All but what each run reads and writes for each rule. Nothing in it expires.
  const table = openSqliteTable(':memory:', new ManualClock(0));
  return {
    rules: ruleStoreIn(table),
    alerts: inMemoryAlertStore(),
    readings: inMemoryReadingStore(),
    runs: runStoreIn(table),
    silences: silenceStoreIn(table),
    notes: noteStoreIn(table),
    deliveries: inMemoryDeliveryLog(),
    // Of replays, rule tests and tests, in which nobody does anything.
    audit: { save: async () => {}, load: async () => [] },
    testNotifications: testNotificationsIn(table),
  };
}

export function inMemoryAlertStore(): AlertStore {
  const alerts = new Map<string, Alert>();
  const keyOf = ({ ruleId, segment }: AlertKey) => JSON.stringify([ruleId, segment]);

  return {
    async load(keys) {
      const distinct = [...new Set(keys.map(keyOf))];
      return distinct.flatMap((key) => alerts.get(key) ?? []);
    },
    async loadOfRule(ruleId) {
      return [...alerts.values()].filter((alert) => alert.ruleId === ruleId);
    },
    async save(alert) {
      const stored = alerts.get(keyOf(alert))?.revision ?? 0;
      if (stored !== alert.revision) throw new ConflictError(`${keyOf(alert)} was changed by another run`);
      const saved = unchangeable({ ...alert, revision: alert.revision + 1 });
      alerts.set(keyOf(alert), saved);
      return saved;
    },
    async loadPending(dueAt) {
      const withPending = [...alerts.values()].flatMap((alert) =>
        alert.pendingAt !== null && alert.pendingAt <= dueAt ? [{ alert, pendingAt: alert.pendingAt }] : [],
      );
      return withPending.sort((a, b) => a.pendingAt - b.pendingAt).map(({ alert }) => alert);
    },
    loadOpen: async () => [...alerts.values()].filter((alert) => !isAtRest(alert)).map(openAlert),
    loadIncidents: async () =>
      [...alerts.values()].filter((alert) => !isAtRest(alert) || hasListedIncident(alert)).map(pastIncidents),
  };
}

export function inMemoryReadingStore(): ReadingStore {
  const keys = new Set<string>();
  /** By family, in order of their windows. */
  const byFamily = new Map<string, Snapshot[]>();

  return {
    async load(family, { fromEndAt, throughEndAt }, wanted) {
      const snapshots = byFamily.get(family) ?? [];
      return snapshots
        .slice(firstAfter(snapshots, fromEndAt - 1), firstAfter(snapshots, throughEndAt))
        .filter(
          ({ eventNames }) => !wanted || !eventNames || eventNames.some((name) => wanted.includes(name)),
        );
    },
    async save(snapshot) {
      const { family, window } = snapshot;
      const key = keyOfSnapshot(snapshot);
      if (keys.has(key)) return;
      keys.add(key);
      const snapshots = byFamily.get(family) ?? [];
      byFamily.set(family, snapshots);
      snapshots.splice(firstAfter(snapshots, window.endAt), 0, unchangeable(structuredClone(snapshot)));
    },
  };
}

/** Of two snapshots with the same key, the first one is kept. */
function keyOfSnapshot({ family, window, rereadAt, eventNames, keys }: Snapshot): string {
  return JSON.stringify([family, window, rereadAt, eventNames?.toSorted(), keys.toSorted()]);
}

/** The index of the first snapshot of a window that ends after `endAt`. */
function firstAfter(snapshots: Snapshot[], endAt: number): number {
  let [low, high] = [0, snapshots.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((snapshots[middle]?.window.endAt ?? Infinity) <= endAt) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function inMemoryDeliveryLog(): DeliveryLog {
  const deliveries: Delivery[] = [];

  return {
    async save(delivery) {
      deliveries.push(structuredClone(delivery));
    },
    loadLast: async (count) => structuredClone(deliveries.toSorted((a, b) => b.at - a.at).slice(0, count)),
  };
}
