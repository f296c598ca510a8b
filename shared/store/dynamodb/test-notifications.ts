import * as z from 'zod';
import { isPending, type TestNotification } from '../../notifications/test-notification.ts';
import type { TestNotificationStore } from '../../notifications/test-notification-store.ts';
import type { SchemaOf } from '../../runtime/schema-of.ts';
import { getItem, putItem, queryItems, type Table, tookPlace } from './requests.ts';
import { parseItem, readable } from './unreadable-items.ts';

const PARTITION = 'TESTS';
const KEEP_SECONDS = 3600;

const outcome = { channel: z.string() };
const testSchema = z.object({
  id: z.string(),
  channels: z.array(z.string()),
  by: z.string(),
  at: z.number(),
  untilAt: z.number(),
  takenAt: z.number().nullable(),
  outcomes: z.array(
    z.discriminatedUnion('kind', [
      z.object({ ...outcome, kind: z.literal('sent') }),
      z.object({ ...outcome, kind: z.literal('kept'), reason: z.string() }),
      z.object({ ...outcome, kind: z.literal('refused'), reason: z.string() }),
    ]),
  ),
}) satisfies SchemaOf<TestNotification>;

/** Stores one item per test notification, for an hour. */
export function dynamodbTestNotifications(table: Table): TestNotificationStore {
  const itemOf = (test: TestNotification) => ({
    ...test,
    ...{ pk: PARTITION, sk: test.id, expiresAt: Math.ceil(test.untilAt / 1000) + KEEP_SECONDS },
  });

  return {
    save: (test) => putItem(table, { Item: itemOf(test) }),

    async load(id) {
      const item = await getItem(table, { pk: PARTITION, sk: id });
      return item && parseItem(testSchema, item);
    },

    async takePending(now) {
      const items = await queryItems(table, {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': PARTITION },
        ConsistentRead: true,
      });
      const tests = readable(table, items, (item) => parseItem(testSchema, item));
      const taken: TestNotification[] = [];
      for (const test of tests.filter((each) => isPending(each, now))) {
        const mine = { ...test, takenAt: now };
        const write = putItem(table, {
          Item: itemOf(mine),
          ConditionExpression: 'takenAt = :none',
          ExpressionAttributeValues: { ':none': null },
        });
        if (await tookPlace(write)) taken.push(mine);
      }
      return taken;
    },
  };
}
