import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Millis } from '../runtime/clock.ts';

/** What a token of the interface of alerts may do; `answer` includes `read`. */
export const SCOPES = ['read', 'answer'] as const;

export const apiKeySchema = z.object({
  /** The id in lists and logs: the first digits of its hash, so that the holder of a key can identify it. */
  id: z.string(),
  /** What the key is for, as given by its creator. */
  name: z.string().optional(),
  /** SHA-256 of the key, in hex. */
  sha256: z.string(),
  /** Ids of the apps it may read. A token without any may read all. */
  apps: z.array(z.string()).readonly(),
  /** Of a token of the interface of alerts. */
  scope: z.enum(SCOPES).optional(),
  createdAt: z.number().optional(),
  /** The key is refused from this time on. */
  expiresAt: z.number().optional(),
  revokedAt: z.number().optional(),
  /** Exact to the minute; see `KeyStore.noteUse`. */
  lastUsedAt: z.number().optional(),
});
/** The stored part of an API key: never the key itself. */
export type ApiKey = Readonly<z.infer<typeof apiKeySchema>>;

export interface KeyStore {
  /** The key with this SHA-256 (hex), also if it is expired or revoked. */
  find(sha256: string): Promise<ApiKey | undefined>;
  /** All keys, by id. */
  list(): Promise<ApiKey[]>;
  /** @throws ConflictError if a key with this hash exists. */
  create(key: ApiKey): Promise<void>;
  /** Returns the revoked key; undefined if no key has this id. Revoking again keeps the first time. */
  revoke(id: string, at: Millis): Promise<ApiKey | undefined>;
  /** Writes at most once a minute per key, so that reads do not become writes. */
  noteUse(key: ApiKey, at: Millis): Promise<void>;
}

const NOTE_USE_EVERY_MS = 60_000;

export const isUseWorthNoting = ({ lastUsedAt }: Pick<ApiKey, 'lastUsedAt'>, at: Millis): boolean =>
  lastUsedAt === undefined || at - lastUsedAt >= NOTE_USE_EVERY_MS;

export type KeyState = 'good' | 'expired' | 'revoked';

export function keyState({ revokedAt, expiresAt }: ApiKey, now: Millis): KeyState {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'good';
}

export const KEY_BYTES = 32;
const KEY_PREFIX = 'dwk_';
const ID_DIGITS = 12;

/**
 * A new key and its stored part. The text of the key is shown once. Its prefix lets secret scanners recognize it.
 * `random`: `KEY_BYTES` bytes of a cryptographic generator.
 */
export function mintKey(
  random: Uint8Array,
  about: Pick<ApiKey, 'name' | 'apps' | 'scope' | 'createdAt' | 'expiresAt'>,
): { text: string; key: ApiKey } {
  if (random.length !== KEY_BYTES) throw new RangeError(`a key needs ${KEY_BYTES} bytes`);
  const text = `${KEY_PREFIX}${Buffer.from(random).toString('base64url')}`;
  const sha256 = hashOf(text);
  return { text, key: { ...about, id: sha256.slice(0, ID_DIGITS), sha256 } };
}

/**
 * SHA-256 in hex, without salt or stretching. Those protect passwords that people choose; 256 random bits cannot be
 * guessed.
 */
export const hashOf = (keyText: string): string => createHash('sha256').update(keyText).digest('hex');
