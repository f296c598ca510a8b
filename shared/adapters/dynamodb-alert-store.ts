import type * as z from 'zod';
import type { AlertStore } from '../alerting/ports.ts';
import { UpstreamError } from '../runtime/errors.ts';
import {
  alertItem,
  alertItemKey,
  alertItemSchema,
  alertPartition,
  openAlertSchema,
} from './dynamodb-alert-item.ts';
import {
  getItems,
  type Item,
  parseItem,
  putItem,
  type Query,
  queryItems,
  type Table,
} from './dynamodb-requests.ts';
import { OPEN_SHARDS, OWED_SHARDS, TABLE } from './dynamodb-table.ts';

/** Names of what is read of open alerts, and of what tells items apart; as aliases, for some are reserved words. */
const OPEN_NAMES = [...Object.keys(openAlertSchema.shape), 'pk', 'sk'];
const OPEN_FIELDS = {
  ProjectionExpression: OPEN_NAMES.map((_, i) => `#f${i}`).join(', '),
  ExpressionAttributeNames: Object.fromEntries(OPEN_NAMES.map((name, i) => [`#f${i}`, name])),
};

/**
 * Alerts as one item a rule and segment. `unreadable` hears of items that are of another form when alerts are read by
 * their keys, all that owe or all that are open, which then come without them; where nobody hears, one such item fails
 * the reading.
 */
export function dynamodbAlertStore(table: Table, unreadable?: (error: UpstreamError) => void): AlertStore {
  return {
    async load(keys) {
      return readable(alertItemSchema, await getItems(table, keys.map(alertItemKey)));
    },

    async loadOfRule(ruleId) {
      const items = await queryItems(table, {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': alertPartition(ruleId) },
        ConsistentRead: true,
      });
      return items.map((item) => parseItem(alertItemSchema, item));
    },

    async save(alert) {
      const saved = { ...alert, revision: alert.revision + 1 };
      const isFirst = alert.revision === 0;
      await putItem(table, {
        Item: alertItem(saved),
        ConditionExpression: isFirst ? 'attribute_not_exists(pk)' : 'revision = :revision',
        ...(!isFirst && { ExpressionAttributeValues: { ':revision': alert.revision } }),
      });
      return saved;
    },

    // The index trails the table by moments: an alert read here may be a revision old, and saving it then conflicts.
    async loadOwing(dueAt) {
      const found = await ofShards(OWED_SHARDS, (shard) => ({
        IndexName: TABLE.owedIndex.name,
        KeyConditionExpression: 'owedShard = :shard AND owedAt <= :dueAt',
        ExpressionAttributeValues: { ':shard': shard, ':dueAt': dueAt },
      }));
      const alerts = readable(alertItemSchema, found);
      return alerts.toSorted((a, b) => (a.owedAt ?? 0) - (b.owedAt ?? 0));
    },

    async loadOpen() {
      const found = await ofShards(OPEN_SHARDS, (shard) => ({
        IndexName: TABLE.openIndex.name,
        KeyConditionExpression: 'openShard = :shard',
        ExpressionAttributeValues: { ':shard': shard },
        ...OPEN_FIELDS,
      }));
      return readable(openAlertSchema, found);
    },
  };

  async function ofShards(shards: string[], query: (shard: string) => Query): Promise<Item[]> {
    const found = await Promise.all(shards.map((shard) => queryItems(table, query(shard))));
    return found.flat();
  }

  /** The alerts that the items hold. One of another form must not silence the others. */
  function readable<T>(schema: z.ZodType<T>, items: Item[]): T[] {
    return items.flatMap((item) => {
      try {
        return [parseItem(schema, item)];
      } catch (error) {
        if (!unreadable || !(error instanceof UpstreamError)) throw error;
        unreadable(error);
        return [];
      }
    });
  }
}
