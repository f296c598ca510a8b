import { createHash } from 'node:crypto';
import type { Millis } from '../runtime/clock.ts';

/** What is kept of an API key; never the key itself. */
export interface ApiKey {
  /** How people and logs name it: the first digits of its hash, so that whoever holds a key can tell which it is. */
  readonly id: string;
  /** What it is for, in the words of whoever made it. */
  readonly name?: string | undefined;
  /** SHA-256 of the key, in hex. */
  readonly sha256: string;
  /** Ids of the apps it may read. */
  readonly apps: readonly string[];
  readonly createdAt?: Millis | undefined;
  /** From then on it is refused. */
  readonly expiresAt?: Millis | undefined;
  readonly revokedAt?: Millis | undefined;
  /** To the minute; see `KeyStore.noteUse`. */
  readonly lastUsedAt?: Millis | undefined;
}

export interface KeyStore {
  /** The key with this SHA-256 (hex), whatever its standing. */
  find(sha256: string): Promise<ApiKey | undefined>;
  /** All keys, by id. */
  list(): Promise<ApiKey[]>;
  /** @throws ConflictError where a key of this hash is kept already. */
  create(key: ApiKey): Promise<void>;
  /** The key as it is then, undefined where there is none of this id; revoked again, it keeps its first time. */
  revoke(id: string, at: Millis): Promise<ApiKey | undefined>;
  /** Writes at most once a minute for each key, so that reads do not become writes. */
  noteUse(key: ApiKey, at: Millis): Promise<void>;
}

const NOTE_USE_EVERY_MS = 60_000;

export const isUseWorthNoting = ({ lastUsedAt }: Pick<ApiKey, 'lastUsedAt'>, at: Millis): boolean =>
  lastUsedAt === undefined || at - lastUsedAt >= NOTE_USE_EVERY_MS;

export type KeyStanding = 'good' | 'expired' | 'revoked';

export function standingOf({ revokedAt, expiresAt }: ApiKey, now: Millis): KeyStanding {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'good';
}

export const KEY_BYTES = 32;
const KEY_PREFIX = 'dwk_';
const ID_DIGITS = 12;

/**
 * A new key and what to keep of it. Its text is shown once; the prefix lets scanners for leaked secrets know it.
 * `random` is `KEY_BYTES` bytes of a cryptographic generator.
 */
export function mintKey(
  random: Uint8Array,
  about: Pick<ApiKey, 'name' | 'apps' | 'createdAt' | 'expiresAt'>,
): { text: string; key: ApiKey } {
  if (random.length !== KEY_BYTES) throw new RangeError(`a key is made of ${KEY_BYTES} bytes`);
  const text = `${KEY_PREFIX}${Buffer.from(random).toString('base64url')}`;
  const sha256 = hashOf(text);
  return { text, key: { ...about, id: sha256.slice(0, ID_DIGITS), sha256 } };
}

/**
 * A plain SHA-256 in hex, without salt or stretching: those slow the guessing of what people choose, and 256 random
 * bits cannot be guessed at any speed.
 */
export const hashOf = (keyText: string): string => createHash('sha256').update(keyText).digest('hex');
