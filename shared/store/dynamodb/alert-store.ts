import type * as z from 'zod';
import type { Alert, AlertKey } from '../../alerts/alert.ts';
import type { AlertStore, UnreadableAlert } from '../../alerts/alert-store.ts';
import { isAtRest } from '../../alerts/at-rest.ts';
import { LISTED_DAYS } from '../../alerts/past-incidents.ts';
import { ConflictError, UnreadableItemError } from '../../runtime/errors.ts';
import {
  alertItem,
  alertItemKey,
  alertItemSchema,
  alertKeyOf,
  alertPartition,
  openAlertSchema,
  pastIncidentsSchema,
} from './alert-item.ts';
import { getItem, getItems, type Item, putItem, type Query, queryItems, type Table } from './requests.ts';
import { ENDED_SHARDS, OPEN_SHARDS, PENDING_SHARDS, TABLE } from './table.ts';
import { parseItem, readable } from './unreadable-items.ts';

/** Reads only these attributes, and the keys. As aliases, because some are reserved words. */
function fieldsOf({ shape }: { shape: object }) {
  const names = [...Object.keys(shape), 'pk', 'sk'];
  return {
    ProjectionExpression: names.map((_, i) => `#f${i}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name, i) => [`#f${i}`, name])),
  };
}
const OPEN_FIELDS = fieldsOf(openAlertSchema);
const INCIDENT_FIELDS = fieldsOf(pastIncidentsSchema);

/** From the last evaluation of a segment. As long as readings of days, so no baseline needs its incidents any more. */
const KEEP_SECONDS = 420 * 86_400;

/** Stores alerts, one item per rule and segment. Segments that no longer occur, such as old versions, expire. */
export function dynamodbAlertStore(table: Table): AlertStore {
  return {
    async load(keys, unreadable) {
      return alertsIn(await getItems(table, keys.map(alertItemKey)), unreadable);
    },

    async loadOfRule(ruleId, unreadable) {
      const items = await queryItems(table, {
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': alertPartition(ruleId) },
        ConsistentRead: true,
      });
      return alertsIn(items, unreadable);
    },

    async save(alert) {
      const saved = { ...alert, revision: alert.revision + 1 };
      const isFirst = alert.revision === 0;
      const now = Math.floor(table.clock.now() / 1000);
      const put = putItem(table, {
        Item: { ...alertItem(saved), ...(mayExpire(saved) && { expiresAt: now + KEEP_SECONDS }) },
        ...(isFirst
          ? {
              ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
              ExpressionAttributeValues: { ':now': now },
            }
          : {
              ConditionExpression: 'revision = :revision',
              ExpressionAttributeValues: { ':revision': alert.revision },
            }),
      });
      await put.catch((error) => explainConflict(alert, error));
      return saved;
    },

    // The index lags behind the table: an alert read here may be outdated, and saving it then conflicts.
    async loadPending(dueAt) {
      const found = await ofShards(PENDING_SHARDS, (shard) => ({
        IndexName: TABLE.pendingIndex.name,
        KeyConditionExpression: 'pendingShard = :shard AND pendingAt <= :dueAt',
        ExpressionAttributeValues: { ':shard': shard, ':dueAt': dueAt },
      }));
      return alertsIn(found).toSorted((a, b) => (a.pendingAt ?? 0) - (b.pendingAt ?? 0));
    },

    async loadOpen(unreadable) {
      const found = await ofShards(OPEN_SHARDS, (shard) => ({
        IndexName: TABLE.openIndex.name,
        KeyConditionExpression: 'openShard = :shard',
        ExpressionAttributeValues: { ':shard': shard },
        ...OPEN_FIELDS,
      }));
      return parsed(openAlertSchema, found, unreadable);
    },

    // A segment that is gone keeps its place in the index until it expires, so its end is compared too.
    async loadIncidents(unreadable) {
      const sinceAt = table.clock.now() - (LISTED_DAYS + 1) * 86_400_000;
      const queryOf = (shard: string, fromAt: number): Query => ({
        IndexName: TABLE.openIndex.name,
        KeyConditionExpression: 'openShard = :shard AND stateSinceAt >= :from',
        ExpressionAttributeValues: { ':shard': shard, ':from': fromAt },
        ...INCIDENT_FIELDS,
      });
      const found = await Promise.all([
        ofShards(OPEN_SHARDS, (shard) => queryOf(shard, 0)),
        ofShards(ENDED_SHARDS, (shard) => queryOf(shard, sinceAt)),
      ]);
      return parsed(pastIncidentsSchema, found.flat(), unreadable);
    },
  };

  async function ofShards(shards: string[], query: (shard: string) => Query): Promise<Item[]> {
    const found = await Promise.all(shards.map((shard) => queryItems(table, query(shard))));
    return found.flat();
  }

  function alertsIn(items: Item[], unreadable?: (alert: UnreadableAlert) => void): Alert[] {
    return parsed(alertItemSchema, items, unreadable);
  }

  function parsed<T>(
    schema: z.ZodType<T>,
    items: Item[],
    unreadable?: (alert: UnreadableAlert) => void,
  ): T[] {
    return readable(table, items, (item) => {
      try {
        return parseItem(schema, item);
      } catch (error) {
        if (error instanceof UnreadableItemError) unreadable?.(alertBehind(error));
        throw error;
      }
    });
  }

  /** A conflict with an unreadable item cannot be solved by reading it again. */
  async function explainConflict(key: AlertKey, error: unknown): Promise<never> {
    const stored = error instanceof ConflictError ? await getItem(table, alertItemKey(key)) : undefined;
    if (stored) parseItem(alertItemSchema, stored);
    throw error;
  }
}

/** The alert of a whole rule stays, because it says which windows were evaluated. */
function mayExpire(alert: Alert): boolean {
  return alert.segment !== null && alert.pendingAt === null && isAtRest(alert);
}

function alertBehind({ item, message }: UnreadableItemError): UnreadableAlert {
  return { ...alertKeyOf(item), reason: message };
}
