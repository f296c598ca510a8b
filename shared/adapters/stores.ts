import type { AlertStore } from '../alerting/alerts/alert-store.ts';
import type { NoteStore } from '../alerting/alerts/note-store.ts';
import type { RuleStore } from '../alerting/deployments/rule-store.ts';
import type { DeliveryLog } from '../alerting/notifications/delivery-log.ts';
import type { SilenceStore } from '../alerting/notifications/silence-store.ts';
import type { TestNotificationStore } from '../alerting/notifications/test-notification-store.ts';
import type { RunStore } from '../alerting/planning/run-store.ts';
import type { ReadingStore } from '../alerting/readings/reading-store.ts';

/** All state that outlives a run. */
export interface Stores {
  rules: RuleStore;
  alerts: AlertStore;
  readings: ReadingStore;
  runs: RunStore;
  silences: SilenceStore;
  notes: NoteStore;
  deliveries: DeliveryLog;
  testNotifications: TestNotificationStore;
}
