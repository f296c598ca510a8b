import type * as z from 'zod';
import { type ApiKey, apiKeySchema, isUseWorthNoting, type KeyStore } from '../access/api-key.ts';
import type { AuditLog } from '../alerts/audit.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Table, tookPlace } from './table.ts';
import { loadSole, readable } from './unreadable-items.ts';

/** All keys are in one partition: it serves thousands of reads per second, far more than rate limits allow. */
const PARTITION = 'KEYS';

const changing = { revokedAt: true, lastUsedAt: true } as const;
const keyItemSchema = apiKeySchema.pick(changing).extend({
  /** The hash. Earlier versions stored it here only. */
  sk: apiKeySchema.shape.sha256,
  // Its `expiresAt` is no attribute of the item, because DynamoDB removes items by it, and expired keys stay in the list.
  key: apiKeySchema.omit({ ...changing, sha256: true }),
});

/** API keys by their hash: the timing of a lookup reveals only hashes, from which no key can be derived. */
export function apiKeysIn(table: Table): KeyStore {
  const itemKey = (sha256: string) => ({ pk: PARTITION, sk: sha256 });

  const find = async (sha256: string) => {
    const item = await loadSole(table, keyItemSchema, itemKey(sha256));
    return item && keyOf(item);
  };

  const list = async () => {
    const keys = readable(table, keyItemSchema, await table.query({ partition: PARTITION })).map(keyOf);
    return keys.sort((a, b) => (a.id < b.id ? -1 : 1));
  };

  return {
    find,
    list,

    create: ({ sha256, revokedAt, lastUsedAt, ...key }) =>
      table.putNew({ ...itemKey(sha256), key, revokedAt, lastUsedAt }),

    async revoke(id, at) {
      const found = (await list()).find((key) => key.id === id);
      if (found === undefined) return undefined;
      await table.update(itemKey(found.sha256), { setIfAbsent: { revokedAt: at } });
      return find(found.sha256);
    },

    async noteUse(key, at) {
      if (!isUseWorthNoting(key, at)) return;
      // Of concurrent requests, only one writes.
      const note = table.update(
        itemKey(key.sha256),
        { set: { lastUsedAt: at } },
        { attribute: 'pk', is: 'present' },
        { attribute: 'lastUsedAt', equals: key.lastUsedAt ?? 0, orAbsent: true },
      );
      await tookPlace(note);
    },
  };
}

function keyOf({ sk, key, revokedAt, lastUsedAt }: z.output<typeof keyItemSchema>): ApiKey {
  return { ...key, sha256: sk, revokedAt, lastUsedAt };
}

/** The tokens of an installation, with `by` as the author of changes in its audit log. */
export function auditedKeys(
  keys: KeyStore,
  { by, clock, audit }: { by: string | null; clock: Clock; audit: AuditLog },
): KeyStore {
  const note = (kind: 'token-created' | 'token-revoked', { id: on, name: detail }: ApiKey) =>
    audit.save({ at: clock.now(), by, how: 'cli', kind, on, app: null, detail });
  return {
    ...keys,
    create: (key) => keys.create(key).then(() => note('token-created', key)),
    async revoke(id, at) {
      const key = await keys.revoke(id, at);
      if (key?.revokedAt === at) await note('token-revoked', key);
      return key;
    },
  };
}
