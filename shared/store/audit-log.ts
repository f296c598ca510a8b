import * as z from 'zod';
import { type AuditLog, auditEntrySchema } from '../alerts/audit.ts';
import type { Logger } from '../runtime/logger.ts';
import { contentHash } from '../text/content-hash.ts';
import { expiryAfter, type Table } from './table.ts';
import { readable } from './unreadable-items.ts';

const PARTITION = 'AUDIT';
const KEPT_DAYS = 400;

const itemSchema = auditEntrySchema
  .extend({ sk: z.string() })
  .transform(({ sk: id, ...entry }) => ({ ...entry, id }));

/** Stores one item per entry, in the order of their times in one partition: people do a few things per day. */
export function auditLogIn(table: Table, logger: Logger): AuditLog {
  return {
    async save(entry) {
      const sk = `${new Date(entry.at).toISOString()}#${contentHash(entry)}`;
      const expiresAt = expiryAfter(entry.at, KEPT_DAYS);
      try {
        await table.put({ ...entry, pk: PARTITION, sk, expiresAt });
      } catch (error) {
        logger.error('an entry of the audit log could not be written', { entry, error });
      }
    },

    async load({ fromAt = 0, before, atMost }) {
      const from = new Date(fromAt).toISOString();
      if (before !== undefined && before < from) return [];
      const items = await table.query({
        ...{ partition: PARTITION, from, newestFirst: true, atMost: atMost + 1 },
        ...(before !== undefined && { through: before }),
      });
      const entries = readable(table, itemSchema, items);
      return entries.filter(({ id }) => id !== before).slice(0, atMost);
    },
  };
}
