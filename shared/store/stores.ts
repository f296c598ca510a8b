import type { AlertStore } from '../alerts/alert-store.ts';
import type { AuditLog } from '../alerts/audit.ts';
import type { NoteStore } from '../alerts/note.ts';
import type { RuleStore } from '../deployments/rule-store.ts';
import type { DeliveryLog } from '../notifications/delivery-log.ts';
import type { TestNotificationStore } from '../notifications/test-notification.ts';
import type { RunStore } from '../planning/run-store.ts';
import type { ReadingStore } from '../readings/snapshots.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Meter } from '../runtime/metrics.ts';
import type { SilenceStore } from '../silences/silence.ts';
import { alertStoreIn } from './alert-store.ts';
import { auditLogIn } from './audit-log.ts';
import { deliveryLogIn } from './delivery-log.ts';
import { noteStoreIn } from './note-store.ts';
import { readingStoreIn } from './reading-store.ts';
import { ruleStoreIn } from './rule-store.ts';
import { runStoreIn } from './run-store.ts';
import { silenceStoreIn } from './silence-store.ts';
import type { Table } from './table.ts';
import { testNotificationsIn } from './test-notifications.ts';
import { reportingUnreadable } from './unreadable-items.ts';

/** All state that outlives a run. */
export interface Stores {
  rules: RuleStore;
  alerts: AlertStore;
  readings: ReadingStore;
  runs: RunStore;
  silences: SilenceStore;
  notes: NoteStore;
  deliveries: DeliveryLog;
  audit: AuditLog;
  testNotifications: TestNotificationStore;
}

/** All stores on one table. Items that cannot be read are logged and, with `meter`, counted. */
export function storesIn(opened: Table, logger: Logger, meter?: Meter): Stores {
  const table = reportingUnreadable(opened, logger, meter);
  return {
    rules: ruleStoreIn(table),
    alerts: alertStoreIn(table),
    readings: readingStoreIn(table),
    runs: runStoreIn(table),
    silences: silenceStoreIn(table),
    notes: noteStoreIn(table),
    deliveries: deliveryLogIn(table),
    audit: auditLogIn(table, logger),
    testNotifications: testNotificationsIn(table),
  };
}
