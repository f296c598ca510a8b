import { type Delivery, type DeliveryLog, deliverySchema } from '../notifications/delivery-log.ts';
import { contentHash } from '../text/content-hash.ts';
import { DAY_MS } from '../units/durations.ts';
import { expiryAfter, type Table } from './table.ts';
import { readable } from './unreadable-items.ts';

const KEEP_DAYS = 30;

/** Stores one item per delivery, with a partition per month. */
export function deliveryLogIn(table: Table): DeliveryLog {
  return {
    async save(delivery) {
      const { at } = delivery;
      const sk = `${new Date(at).toISOString()}#${contentHash(delivery)}`;
      const expiresAt = expiryAfter(at, KEEP_DAYS);
      await table.put({ ...delivery, pk: partitionOf(at), sk, expiresAt });
    },

    async loadLast(count) {
      const found: Delivery[] = [];
      for (const partition of partitionsKept(table.clock.now())) {
        const items = await table.query({ partition, newestFirst: true, atMost: count - found.length });
        found.push(...readable(table, deliverySchema, items));
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
