import type { AlertStore } from '../alerting/ports.ts';
import { alertItem, alertItemKey, alertItemSchema, alertPartition } from './dynamodb-alert-item.ts';
import { getItems, parseItem, putItem, queryItems, type Table } from './dynamodb-requests.ts';
import { OPEN_SHARD, OWED_SHARD, TABLE } from './dynamodb-table.ts';

/** Alerts as one item a rule and segment. */
export function dynamodbAlertStore(table: Table): AlertStore {
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
      const items = await queryItems(table, {
        IndexName: TABLE.owedIndex.name,
        KeyConditionExpression: 'owedShard = :shard AND owedAt <= :dueAt',
        ExpressionAttributeValues: { ':shard': OWED_SHARD, ':dueAt': dueAt },
      });
      return items.map((item) => parseItem(alertItemSchema, item));
    },

    async loadOpen() {
      const items = await queryItems(table, {
        IndexName: TABLE.openIndex.name,
        KeyConditionExpression: 'openShard = :shard',
        ExpressionAttributeValues: { ':shard': OPEN_SHARD },
      });
      return items.map((item) => parseItem(alertItemSchema, item));
    },
  };
}
