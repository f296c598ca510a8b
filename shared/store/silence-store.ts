import { SILENCES_KEPT_DAYS, type SilenceStore, silenceSchema } from '../silences/silence.ts';
import { expiryAfter, type Table } from './table.ts';
import { readable } from './unreadable-items.ts';

const PARTITION = 'SILENCES';

/** Stores one item per silence, all in one partition: people create a few per day. */
export function silenceStoreIn(table: Table): SilenceStore {
  return {
    async save(silence) {
      const expiresAt = expiryAfter(silence.untilAt, SILENCES_KEPT_DAYS);
      await table.put({ ...silence, pk: PARTITION, sk: `SILENCE#${silence.id}`, expiresAt });
    },

    loadAll: async () => readable(table, silenceSchema, await table.query({ partition: PARTITION })),
  };
}
