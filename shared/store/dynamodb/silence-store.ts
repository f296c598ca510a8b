import type { SilenceStore } from '../../notifications/silence-store.ts';
import { silenceSchema } from '../../notifications/silences.ts';
import { expiryAfter, itemsIn, putItem, type Table } from './requests.ts';
import { readable } from './unreadable-items.ts';

const PARTITION = 'SILENCES';
const KEEP_DAYS = 30;

/** Stores one item per silence, all in one partition: people create a few per day. */
export function dynamodbSilenceStore(table: Table): SilenceStore {
  return {
    async save(silence) {
      const expiresAt = expiryAfter(silence.untilAt, KEEP_DAYS);
      await putItem(table, { Item: { ...silence, pk: PARTITION, sk: `SILENCE#${silence.id}`, expiresAt } });
    },

    loadAll: async () => readable(table, silenceSchema, await itemsIn(table, PARTITION)),
  };
}
