import * as z from 'zod';
import type { SilenceStore } from '../../notifications/silence-store.ts';
import type { Match, Silence } from '../../notifications/silences.ts';
import type { SchemaOf } from '../../runtime/schema-of.ts';
import { putItem, queryItems, type Table } from './requests.ts';
import { parseItem, readable } from './unreadable-items.ts';

const PARTITION = 'SILENCES';
const KEEP_DAYS = 30;

const text = z.union([z.string(), z.array(z.string())]);
const pattern = text.optional();
const matchSchema = z.object({
  app: pattern,
  rule: pattern,
  owner: pattern,
  severity: pattern,
  segment: z.union([text, z.object({ is: z.string() })]).optional(),
}) satisfies SchemaOf<Match>;

const silenceSchema = z.object({
  id: z.string(),
  match: matchSchema,
  fromAt: z.number(),
  untilAt: z.number(),
  by: z.string(),
  at: z.number(),
  reason: z.string(),
}) satisfies SchemaOf<Silence>;

/** Stores one item per silence, all in one partition: people create a few per day. */
export function dynamodbSilenceStore(table: Table): SilenceStore {
  return {
    async save(silence) {
      const expiresAt = Math.ceil(silence.untilAt / 1000) + KEEP_DAYS * 86_400;
      await putItem(table, { Item: { ...silence, pk: PARTITION, sk: `SILENCE#${silence.id}`, expiresAt } });
    },

    async loadAll() {
      const items = await queryItems(table, {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': PARTITION },
        ConsistentRead: true,
      });
      return readable(table, items, (item) => parseItem(silenceSchema, item));
    },
  };
}
