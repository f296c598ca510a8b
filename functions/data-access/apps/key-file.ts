import { randomUUID, timingSafeEqual } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { type ApiKey, isUseWorthNoting, type KeyStore } from '../../../shared/access/api-key.ts';
import { ConflictError } from '../../../shared/runtime/errors.ts';
import { absent, ReloadingFile, readJson, unreadable } from './reloading-file.ts';

/** ISO text in the file, milliseconds in the code. */
const timeSchema = z.codec(z.iso.datetime(), z.int(), {
  decode: (text) => Date.parse(text),
  encode: (at) => new Date(at).toISOString(),
});

/** `keys.json`. */
const keysSchema = z.array(
  z.strictObject({
    id: z.string(),
    name: z.string().optional(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    apps: z.array(z.string()).min(1),
    createdAt: timeSchema.optional(),
    expiresAt: timeSchema.optional(),
    revokedAt: timeSchema.optional(),
  }),
);
type KeptKey = z.output<typeof keysSchema>[number];

/** `keys.used.json`: the time of the last use by key id. */
const usesSchema = z.record(z.string(), timeSchema);

const LOCK_ATTEMPTS = 40;
const LOCK_PAUSE_MS = 50;

export interface KeyFile extends KeyStore {
  /**
   * The keys without the times of their last use.
   * @throws UpstreamError (retryable), like `find`, if `keys.json` cannot be read. `list` gives people more detail.
   */
  kept(): Promise<readonly ApiKey[]>;
}

/**
 * The API keys of a data directory. Only commands write `keys.json`, under a lock. The service writes only
 * `keys.used.json`, so saving a last use cannot restore a key that is being revoked. Two services on one directory can
 * overwrite each other's last uses. Files are replaced atomically, so no reader sees half a file.
 */
export function keysIn(directory: string): KeyFile {
  const path = join(directory, 'keys.json');
  const usesPath = join(directory, 'keys.used.json');
  const keys = new ReloadingFile(path, (file) => readJson(file, keysSchema));
  const uses = new ReloadingFile(usesPath, (file) => readJson(file, usesSchema));
  let noting: Promise<void> = Promise.resolve();

  const kept = async () => (await keys.get().catch(unreadable(path))) ?? [];

  const list = async () => {
    const [all = [], usedAt] = [await keys.get(), await uses.get()];
    return all
      .map((key): ApiKey => ({ ...key, lastUsedAt: usedAt?.[key.id] }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  };

  const change = async (next: (keys: KeptKey[]) => KeptKey[]): Promise<void> => {
    await mkdir(directory, { recursive: true });
    await alone(join(directory, 'keys.writing'), async () => {
      const changed = next((await readJson(path, keysSchema).catch(absent)) ?? []);
      await replace(path, z.encode(keysSchema, changed));
    }).catch((error: unknown) => {
      // A full disk names no path.
      throw error instanceof Error ? Object.assign(error, { path }) : error;
    });
  };

  const writeUse = async (id: string, at: number): Promise<void> => {
    const known = (await uses.get().catch(unreadable(usesPath))) ?? {};
    // Concurrent requests all read the old time.
    if (isUseWorthNoting({ lastUsedAt: known[id] }, at))
      await replace(usesPath, z.encode(usesSchema, { ...known, [id]: at }));
  };

  return {
    async find(sha256) {
      const wanted = Buffer.from(sha256, 'hex');
      // Compares all keys in constant time, so the duration reveals nothing about them.
      const [found] = (await kept()).filter((key) => timingSafeEqual(Buffer.from(key.sha256, 'hex'), wanted));
      // If the last uses cannot be read, the key still works: `noteUse` reports the problem.
      return found && { ...found, lastUsedAt: (await uses.get().catch(() => undefined))?.[found.id] };
    },

    kept,
    list,

    async create({ lastUsedAt: _, apps, ...key }) {
      await change((before) => {
        if (before.some(({ sha256 }) => sha256 === key.sha256))
          throw new ConflictError(`the key ${key.id} already exists`);
        return [...before, { ...key, apps: [...apps] }];
      });
    },

    async revoke(id, at) {
      await change((before) =>
        before.map((key) => (key.id === id ? { ...key, revokedAt: key.revokedAt ?? at } : key)),
      );
      return (await list()).find((key) => key.id === id);
    },

    async noteUse({ id, lastUsedAt }, at) {
      if (!isUseWorthNoting({ lastUsedAt }, at)) return;
      const note = noting.then(() => writeUse(id, at));
      noting = note.catch(() => {});
      await note;
    },
  };
}

async function replace(path: string, content: unknown): Promise<void> {
  const draft = `${path}.${randomUUID()}.new`;
  try {
    await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { flush: true });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Runs `work` under a lock file. The lock of a dead process is not taken over, because two processes could do so at
 * once.
 * @throws ConflictError if another process still has the lock after two seconds.
 */
async function alone(lock: string, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; !(await taken(lock)); attempt += 1) {
    if (attempt === LOCK_ATTEMPTS) {
      const holder = await readFile(lock, 'utf8').catch(absent);
      throw new ConflictError(
        `process ${holder} is changing the keys; wait for it, or delete ${lock} if that process no longer exists`,
      );
    }
    await delay(LOCK_PAUSE_MS);
  }
  await work().finally(() => rm(lock, { force: true }));
}

async function taken(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    // A full disk makes an empty lock.
    await rm(lock, { force: true });
    throw error;
  }
}
