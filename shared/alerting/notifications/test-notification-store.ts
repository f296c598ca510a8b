import type { TestNotification } from './test-notification.ts';

/** Test notifications that somebody asked announce to send, and what became of them; kept for an hour. */
export interface TestNotificationStore {
  save(test: TestNotification): Promise<void>;
  load(id: string): Promise<TestNotification | undefined>;
  /** Those that are pending, marked as taken: each is given to one taker only. */
  takePending(now: number): Promise<TestNotification[]>;
}
