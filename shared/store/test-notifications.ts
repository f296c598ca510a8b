import type { TestNotificationStore } from '../notifications/test-notification.ts';
import {
  isPending,
  type TestNotification,
  testNotificationSchema,
} from '../notifications/test-notification.ts';
import { expiryAfter, type Table, tookPlace } from './table.ts';
import { parseItem, readable } from './unreadable-items.ts';

const PARTITION = 'TESTS';
const KEEP_SECONDS = 3600;

/** Stores one item per test notification, for an hour. */
export function testNotificationsIn(table: Table): TestNotificationStore {
  const itemOf = (test: TestNotification) => ({
    ...test,
    ...{ pk: PARTITION, sk: test.id, expiresAt: expiryAfter(test.untilAt) + KEEP_SECONDS },
  });

  return {
    save: (test) => table.put(itemOf(test)),

    async load(id) {
      const item = await table.get({ pk: PARTITION, sk: id });
      return item && parseItem(testNotificationSchema, item);
    },

    async takePending(now) {
      const tests = readable(table, testNotificationSchema, await table.query({ partition: PARTITION }));
      const taken: TestNotification[] = [];
      for (const test of tests.filter((each) => isPending(each, now))) {
        const mine = { ...test, takenAt: now };
        const write = table.put(itemOf(mine), { attribute: 'takenAt', equals: null });
        if (await tookPlace(write)) taken.push(mine);
      }
      return taken;
    },
  };
}
