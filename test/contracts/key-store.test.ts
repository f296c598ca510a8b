import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keysIn } from '../../functions/data-access/apps/key-file.ts';
import { type ApiKey, type KeyStore, mintKey } from '../../shared/access/api-key.ts';
import { apiKeysIn } from '../../shared/store/api-keys.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/units/durations.ts';
import { onEmptyTable } from './both-stores.ts';
import { NOW } from './samples.ts';

const minted = (byte: number, about: Partial<ApiKey> = {}): ApiKey =>
  mintKey(new Uint8Array(32).fill(byte), { apps: ['shop'], createdAt: NOW, ...about }).key;

function keyStoreContract(store: () => KeyStore) {
  const key = minted(1, { name: 'ci', apps: ['shop', 'blog'], expiresAt: NOW + HOUR_MS });

  test('is empty at first', async () => {
    expect(await store().list()).toEqual([]);
    expect(await store().find(key.sha256)).toBeUndefined();
    expect(await store().revoke(key.id, NOW)).toBeUndefined();
  });

  test('find returns a created key by its hash', async () => {
    await store().create(key);
    await store().create(minted(2));
    expect(await store().find(key.sha256)).toEqual(key);
    expect(await store().find(minted(3).sha256)).toBeUndefined();
    expect(await store().list()).toEqual([key, minted(2)].sort((a, b) => (a.id < b.id ? -1 : 1)));
  });

  test('find and list return expired keys', async () => {
    const expired = minted(1, { expiresAt: NOW - HOUR_MS });
    await store().create(expired);
    expect(await store().find(expired.sha256)).toEqual(expired);
    expect(await store().list()).toEqual([expired]);
  });

  test('create rejects a second key with the same hash', async () => {
    await store().create(key);
    await expect(store().create({ ...key, name: 'again' })).rejects.toMatchObject({ name: 'ConflictError' });
    expect(await store().find(key.sha256)).toEqual(key);
  });

  test('revoke keeps the time of the first revocation', async () => {
    await store().create(key);
    await store().create(minted(2));
    expect(await store().revoke(key.id, NOW + 5)).toEqual({ ...key, revokedAt: NOW + 5 });
    expect(await store().revoke(key.id, NOW + 9)).toEqual({ ...key, revokedAt: NOW + 5 });
    expect(await store().find(key.sha256)).toEqual({ ...key, revokedAt: NOW + 5 });
    expect(await store().find(minted(2).sha256)).toEqual(minted(2));
  });

  test('noteUse saves at most one use per minute', async () => {
    await store().create(key);
    await store().noteUse(key, NOW);
    const used = await found(key);
    expect(used.lastUsedAt).toBe(NOW);
    await store().noteUse(used, NOW + MINUTE_MS - 1);
    expect((await found(key)).lastUsedAt).toBe(NOW);
    await store().noteUse(used, NOW + MINUTE_MS);
    expect((await found(key)).lastUsedAt).toBe(NOW + MINUTE_MS);
    expect(await store().list()).toEqual([await found(key)]);
  });

  test('noteUse accepts concurrent uses of several keys', async () => {
    await store().create(key);
    await store().create(minted(2));
    const uses = Array.from({ length: 20 }, (_, i) => store().noteUse(i % 2 ? key : minted(2), NOW + i));
    await Promise.all(uses);
    expect(NOW + 19 - ((await found(key)).lastUsedAt ?? 0)).toBeLessThan(20);
    expect(NOW + 19 - ((await found(minted(2))).lastUsedAt ?? 0)).toBeLessThan(20);
  });

  test('noteUse keeps concurrent revocations and new keys', async () => {
    await store().create(key);
    await Promise.all([
      store().noteUse(key, NOW),
      store().revoke(key.id, NOW),
      store().create(minted(2)),
      store().noteUse(key, NOW + HOUR_MS),
    ]);
    expect((await found(key)).revokedAt).toBe(NOW);
    expect(await store().list()).toHaveLength(2);
  });

  test('concurrent changes are all saved', async () => {
    const many = Array.from({ length: 8 }, (_, i) => minted(i));
    await Promise.all(many.map((each) => store().create(each)));
    await Promise.all(many.map(({ id }) => store().revoke(id, NOW)));
    expect((await store().list()).filter(({ revokedAt }) => revokedAt === NOW)).toHaveLength(8);
  });

  async function found({ sha256 }: ApiKey): Promise<ApiKey> {
    const one = await store().find(sha256);
    if (one === undefined) throw new Error('the key is gone');
    return one;
  }
}

describe('KeyStore in a data directory', () => {
  let directory: string;
  let store: KeyStore;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'key-store-'));
    store = keysIn(join(directory, 'data'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  keyStoreContract(() => store);
});

describe('KeyStore in DynamoDB', () => {
  const table = onEmptyTable();
  let store: KeyStore;
  beforeEach(() => {
    store = apiKeysIn(table());
  });
  keyStoreContract(() => store);

  test.each([
    ['in the item, as it is now', {}],
    ['in the object of the key as well', { sha256: minted(1).sha256 }],
  ])('reads and revokes a key with its hash %s', async (_, extra) => {
    const { id, sha256, apps } = minted(1);
    await table().putAll([{ pk: 'KEYS', sk: sha256, key: { id, apps, ...extra } }]);
    expect(await store.find(sha256)).toEqual({ id, sha256, apps });
    expect(await store.revoke(id, NOW)).toEqual({ id, sha256, apps, revokedAt: NOW });
  });
});
