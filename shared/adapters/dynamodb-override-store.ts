import * as z from 'zod';
import type { Bounds } from '../alerting/bounds.ts';
import type { BoundsInstead, Override } from '../alerting/overrides.ts';
import type { OverrideStore } from '../alerting/ports.ts';
import { putItem, queryItems, type Table } from './dynamodb-requests.ts';
import { parseItem, readable } from './dynamodb-unreadable.ts';
import type { SchemaOf } from './schema-of.ts';

const PARTITION = 'OVERRIDES';
const KEEP_DAYS = 30;

const sides = z.object({ above: z.number().optional(), below: z.number().optional() }).optional();
const boundsSchema = z.object({
  change: sides,
  difference: sides,
  current: sides,
}) satisfies SchemaOf<Bounds>;
const minimumSchema = z.object({
  current: z.number().exactOptional(),
  baseline: z.number().exactOptional(),
  difference: z.number().exactOptional(),
});
export const boundsInsteadSchema = z.object({
  fire: boundsSchema.optional(),
  recover: boundsSchema.optional(),
  minimum: minimumSchema.optional(),
}) satisfies SchemaOf<BoundsInstead>;

const overrideSchema = z.object({
  ruleId: z.string(),
  meaning: z.string(),
  instead: boundsInsteadSchema,
  untilAt: z.number(),
  by: z.string(),
  at: z.number(),
  reason: z.string(),
}) satisfies SchemaOf<Override>;

/** Overrides as one item each, all of them in one partition: people make a few a week. */
export function dynamodbOverrideStore(table: Table): OverrideStore {
  return {
    async save(override) {
      const { ruleId, at, untilAt } = override;
      const sk = `OVERRIDE#${ruleId}#${new Date(at).toISOString()}`;
      const expiresAt = Math.ceil(untilAt / 1000) + KEEP_DAYS * 86_400;
      await putItem(table, { Item: { ...override, pk: PARTITION, sk, expiresAt } });
    },

    async loadAll() {
      const items = await queryItems(table, {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': PARTITION },
        ConsistentRead: true,
      });
      return readable(table, items, (item) => parseItem(overrideSchema, item));
    },
  };
}
