import type { Alert } from '../alerting/alert.ts';
import type { AlertStore } from '../alerting/ports.ts';
import { UpstreamError } from '../runtime/errors.ts';
import { alertItem, alertItemKey, alertItemSchema, alertPartition } from './dynamodb-alert-item.ts';
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

/**
 * Alerts as one item a rule and segment. `unreadable` hears of items that are of another form when all that owe or all
 * that are open are read, which then come without them; where nobody hears, one such item fails the reading.
 */
export function dynamodbAlertStore(table: Table, unreadable?: (error: UpstreamError) => void): AlertStore {
  return {
    async load(keys) {
      const items = await getItems(table, keys.map(alertItemKey));
      return items.map((item) => parseItem(alertItemSchema, item));
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
      return found.toSorted((a, b) => (a.owedAt ?? 0) - (b.owedAt ?? 0));
    },

    async loadOpen() {
      return ofShards(OPEN_SHARDS, (shard) => ({
        IndexName: TABLE.openIndex.name,
        KeyConditionExpression: 'openShard = :shard',
        ExpressionAttributeValues: { ':shard': shard },
      }));
    },
  };

  async function ofShards(shards: string[], query: (shard: string) => Query): Promise<Alert[]> {
    const found = await Promise.all(shards.map((shard) => queryItems(table, query(shard))));
    return found.flat().flatMap(readable);
  }

  /** The alert that an item holds. One of another form must not silence the others. */
  function readable(item: Item): Alert[] {
    try {
      return [parseItem(alertItemSchema, item)];
    } catch (error) {
      if (!unreadable || !(error instanceof UpstreamError)) throw error;
      unreadable(error);
      return [];
    }
  }
}
