import type { TestNotification } from './test-notification.ts';

/** Requested test notifications and their outcomes; kept for an hour. */
export interface TestNotificationStore {
  save(test: TestNotification): Promise<void>;
  load(id: string): Promise<TestNotification | undefined>;
  /** Returns pending requests and marks them as taken; each is returned only once. */
  takePending(now: number): Promise<TestNotification[]>;
}
