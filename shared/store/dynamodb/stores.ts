import type { Logger } from '../../runtime/logger.ts';
import type { Meter } from '../../runtime/metrics.ts';
import type { Stores } from '../stores.ts';
import { dynamodbAlertStore } from './alert-store.ts';
import { dynamodbDeliveryLog } from './delivery-log.ts';
import { dynamodbNoteStore } from './note-store.ts';
import { dynamodbReadingStore } from './reading-store.ts';
import type { Table } from './requests.ts';
import { dynamodbRuleStore } from './rule-store.ts';
import { dynamodbRunStore } from './run-store.ts';
import { dynamodbSilenceStore } from './silence-store.ts';
import { dynamodbTestNotifications } from './test-notifications.ts';
import { reportingUnreadable } from './unreadable-items.ts';

/** All stores on one table. Items that cannot be read are logged and, with `meter`, counted. */
export function storesIn(opened: Table, logger: Logger, meter?: Meter): Stores {
  const table = reportingUnreadable(opened, logger, meter);
  return {
    rules: dynamodbRuleStore(table),
    alerts: dynamodbAlertStore(table),
    readings: dynamodbReadingStore(table),
    runs: dynamodbRunStore(table),
    silences: dynamodbSilenceStore(table),
    notes: dynamodbNoteStore(table),
    deliveries: dynamodbDeliveryLog(table),
    testNotifications: dynamodbTestNotifications(table),
  };
}
