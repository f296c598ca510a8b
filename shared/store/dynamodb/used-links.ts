import * as z from 'zod';
import type { UsedLinks } from '../../messages/link-purposes.ts';
import { getItem, type Key, putItem, type Table, tookPlace } from './requests.ts';
import { parseSole } from './unreadable-items.ts';

const usedSchema = z.object({ by: z.string(), at: z.number(), reason: z.string() });

/** Stores the first use of each link, one item per link, until the link expires. */
export function dynamodbUsedLinks(table: Table): UsedLinks {
  return {
    async find(id) {
      const item = await getItem(table, usedLinkKey(id));
      return item && parseSole(table, usedSchema, item);
    },

    async save(id, { by, at, reason }, expiresAt) {
      const put = putItem(table, {
        Item: { ...usedLinkKey(id), by, at, reason, expiresAt: Math.ceil(expiresAt / 1000) },
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      return tookPlace(put);
    },
  };
}

function usedLinkKey(id: string): Key {
  return { pk: `LINK#${id}`, sk: 'USED' };
}
