import { webcrypto } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type * as z from 'zod';
import {
  type Claims,
  LINK_LIVES_MS,
  type LinkSigner,
  PURPOSES,
  type Purpose,
} from '../messages/link-purposes.ts';
import type { Clock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';

const ALGORITHM = 'HS256';

/** The strength of the signature: 32 bytes are 43 characters of base64. */
const KEY_CHARACTERS = 43;

/** Only accepts the canonical base64 of a signature, so that no other text is the same link. */
const FORM = /^[\w-]{1,100}\.[\w-]{1,4000}\.[\w-]{42}[AEIMQUYcgkosw048]$/;

type Key = webcrypto.CryptoKey;

/** The result of verifying with one key. `foreign`: not signed by this key. */
type Found = { kind: 'valid'; payload: JWTPayload } | { kind: 'expired' } | { kind: 'foreign' };

const schemas: { [P in Purpose]: z.ZodType<Claims<P>> } = PURPOSES;

/**
 * Links as JSON Web Tokens, whose audience is their purpose. `readKeys` returns the secret, one key per line. The first
 * key signs, and all verify: to rotate, add a new key before the old one, and remove the old one when its links have
 * expired. Throws `ConfigError` if a key is too short.
 */
export function signedLinks(readKeys: () => Promise<string>, clock: Clock): LinkSigner {
  const keysOf = keptLast(importKeys);
  return {
    async sign(purpose, claims, id) {
      const [key] = await keysOf(await readKeys());
      const expiresAt = clock.now() + LINK_LIVES_MS[purpose];
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: ALGORITHM })
        .setAudience(purpose)
        .setJti(id)
        .setExpirationTime(Math.floor(expiresAt / 1000))
        .sign(key);
    },

    async verify(purpose, token) {
      if (!FORM.test(token)) return { kind: 'foreign' };
      const keys = await keysOf(await readKeys());
      const found = await firstFound(keys, (key) => look(token, key, purpose, clock));
      if (found.kind !== 'valid') return found;
      const { jti: id, exp, ...rest } = found.payload;
      const parsed = schemas[purpose].safeParse(rest);
      if (!parsed.success || id === undefined || exp === undefined) return { kind: 'foreign' };
      return { kind: 'valid', id, claims: parsed.data, expiresAt: exp * 1000 };
    },
  };
}

async function look(token: string, key: Key, audience: Purpose, clock: Clock): Promise<Found> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      audience,
      currentDate: new Date(clock.now()),
    });
    return { kind: 'valid', payload };
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { kind: 'expired' };
    if (error instanceof errors.JOSEError) return { kind: 'foreign' };
    throw error;
  }
}

async function firstFound(keys: Key[], lookWith: (key: Key) => Promise<Found>): Promise<Found> {
  for (const key of keys) {
    const found = await lookWith(key);
    if (found.kind !== 'foreign') return found;
  }
  return { kind: 'foreign' };
}

async function importKeys(secret: string): Promise<[Key, ...Key[]]> {
  const lines = secret.split('\n').map((line) => line.trim());
  const texts = lines.filter((line) => line !== '');
  if (texts.some((text) => text.length < KEY_CHARACTERS))
    throw new ConfigError(
      `The secret that signs links must hold keys of at least ${KEY_CHARACTERS} random characters, one per line: generate one with "openssl rand -base64 32"`,
    );
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const [first, ...others] = await Promise.all(
    texts.map((text) =>
      webcrypto.subtle.importKey('raw', new TextEncoder().encode(text), algorithm, false, ['sign', 'verify']),
    ),
  );
  if (!first) throw new ConfigError('The secret that signs links is empty: add a key');
  return [first, ...others];
}

/** Caches `make` for its last argument: the secret is read for each link, and rarely changes. */
function keptLast<T>(make: (text: string) => Promise<T>): (text: string) => Promise<T> {
  let last: { text: string; made: Promise<T> } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, made: make(text) };
    return last.made;
  };
}
