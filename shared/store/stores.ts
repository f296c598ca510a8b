import type { AlertStore } from '../alerts/alert-store.ts';
import type { NoteStore } from '../alerts/note.ts';
import type { RuleStore } from '../deployments/rule-store.ts';
import type { DeliveryLog } from '../notifications/delivery-log.ts';
import type { TestNotificationStore } from '../notifications/test-notification.ts';
import type { RunStore } from '../planning/run-store.ts';
import type { ReadingStore } from '../readings/reading-store.ts';
import type { SilenceStore } from '../silences/silence.ts';

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
