import type { TestNotification } from '../shared/notifications/test-notification.ts';
import type { TestNotificationStore } from '../shared/notifications/test-notification-store.ts';
import type { Clock } from '../shared/runtime/clock.ts';

export interface WaitForTestDeps {
  testNotifications: TestNotificationStore;
  clock: Clock;
  signal?: AbortSignal;
  onWait?: (waitedMs: number) => void;
}

const POLL_MS = 1_000;

/** The maximum run time of the notify function. */
const SENDING_MS = 60_000;

/**
 * Requests a test notification. Waits until it is sent, expires or is aborted by the signal, and returns its last
 * state.
 */
export async function waitForTest(test: TestNotification, deps: WaitForTestDeps): Promise<TestNotification> {
  const { testNotifications, clock, signal, onWait } = deps;
  await testNotifications.save(test);
  for (;;) {
    const now = clock.now();
    const last = (await testNotifications.load(test.id)) ?? test;
    const untilAt = last.takenAt === null ? last.untilAt : last.takenAt + SENDING_MS;
    if (last.outcomes.length > 0 || now >= untilAt || signal?.aborted) return last;
    onWait?.(now - test.at);
    await clock.sleep(POLL_MS);
  }
}
