import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashOf, isUseWorthNoting, KEY_BYTES, keyState, mintKey } from '../../../shared/access/api-key.ts';

const NOW = Date.parse('2026-04-10T12:00:00Z');
const key = { id: 'k', sha256: hashOf('k'), apps: ['shop'] };

describe('mintKey', () => {
  const { text, key: kept } = mintKey(new Uint8Array(KEY_BYTES).fill(255), {
    apps: ['shop'],
    createdAt: NOW,
  });

  test('encodes all bytes after a prefix', () => {
    expect(text).toBe(`dwk_${'_'.repeat(42)}8`);
    expect(Buffer.from(text.slice(4), 'base64url')).toEqual(Buffer.alloc(KEY_BYTES, 255));
  });

  test('stores only the hash, and takes the id from its first digits', () => {
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(kept).toEqual({ id: sha256.slice(0, 12), sha256, apps: ['shop'], createdAt: NOW });
    expect(JSON.stringify(kept)).not.toContain(text);
  });

  test.each([0, 16, 31, 33])('rejects %i bytes', (length) => {
    expect(() => mintKey(new Uint8Array(length), { apps: ['shop'] })).toThrow(RangeError);
  });
});

test.each([
  ['without an expiry', {}, 'good'],
  ['before its expiry', { expiresAt: NOW + 1 }, 'good'],
  ['at its expiry', { expiresAt: NOW }, 'expired'],
  ['revoked', { revokedAt: NOW - 1 }, 'revoked'],
  ['revoked by a clock that is ahead', { revokedAt: NOW + 1 }, 'revoked'],
  ['revoked and expired', { revokedAt: NOW - 2, expiresAt: NOW - 1 }, 'revoked'],
])('keyState a key %s', (_, times, state) => {
  expect(keyState({ ...key, ...times }, NOW)).toBe(state);
});

test.each([
  ['the first use', undefined, true],
  ['a use within the minute', NOW - 59_999, false],
  ['a use a minute later', NOW - 60_000, true],
  ['a use by a clock that is behind', NOW + 1, false],
])('isUseWorthNoting for %s', (_, lastUsedAt, worth) => {
  expect(isUseWorthNoting({ lastUsedAt }, NOW)).toBe(worth);
});
