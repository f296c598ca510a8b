import * as z from 'zod';
import type { Delivery, DeliveryLog } from '../../notifications/delivery-log.ts';
import type { SchemaOf } from '../../runtime/schema-of.ts';
import { contentHash } from '../../text/content-hash.ts';
import { DAY_MS } from '../../units/durations.ts';
import { putItem, queryItems, type Table } from './requests.ts';
import { parseItem, readable } from './unreadable-items.ts';

const KEEP_DAYS = 30;

const deliverySchema = z.object({
  at: z.number(),
  channel: z.string(),
  route: z.string(),
  title: z.string(),
  alerts: z.number(),
  keys: z.array(z.string()),
  outcome: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('sent') }),
    z.object({ kind: z.literal('kept'), reason: z.string() }),
    z.object({ kind: z.literal('failed'), reason: z.string(), permanent: z.boolean() }),
  ]),
}) satisfies SchemaOf<Delivery>;

/** Stores one item per delivery, with a partition per month. */
export function dynamodbDeliveryLog(table: Table): DeliveryLog {
  return {
    async save(delivery) {
      const { at } = delivery;
      const sk = `${new Date(at).toISOString()}#${contentHash(delivery)}`;
      const expiresAt = Math.ceil(at / 1000) + KEEP_DAYS * 86_400;
      await putItem(table, { Item: { ...delivery, pk: partitionOf(at), sk, expiresAt } });
    },

    async loadLast(count) {
      const found: Delivery[] = [];
      for (const partition of partitionsKept(table.clock.now())) {
        const items = await queryItems(
          table,
          {
            KeyConditionExpression: 'pk = :pk',
            ExpressionAttributeValues: { ':pk': partition },
            ScanIndexForward: false,
            ConsistentRead: true,
          },
          count - found.length,
        );
        found.push(...readable(table, items, (item) => parseItem(deliverySchema, item)));
        if (found.length >= count) break;
      }
      return found;
    },
  };
}

/** Newest first. Three if February is in between. */
function partitionsKept(now: number): Set<string> {
  const days = Array.from({ length: KEEP_DAYS + 1 }, (_, day) => now - day * DAY_MS);
  return new Set(days.map(partitionOf));
}

function partitionOf(at: number): string {
  return `DELIVERIES#${new Date(at).toISOString().slice(0, 7)}`;
}
