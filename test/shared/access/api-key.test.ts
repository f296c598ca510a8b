import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashOf, isUseWorthNoting, KEY_BYTES, mintKey, standingOf } from '../../../shared/access/api-key.ts';

const NOW = Date.parse('2026-04-10T12:00:00Z');
const key = { id: 'k', sha256: hashOf('k'), apps: ['shop'] };

describe('a new key', () => {
  const { text, key: kept } = mintKey(new Uint8Array(KEY_BYTES).fill(255), {
    apps: ['shop'],
    createdAt: NOW,
  });

  test('is all of its bytes behind a prefix', () => {
    expect(text).toBe(`dwk_${'_'.repeat(42)}8`);
    expect(Buffer.from(text.slice(4), 'base64url')).toEqual(Buffer.alloc(KEY_BYTES, 255));
  });

  test('is kept as its hash, and named by the first digits of it', () => {
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(kept).toEqual({ id: sha256.slice(0, 12), sha256, apps: ['shop'], createdAt: NOW });
    expect(JSON.stringify(kept)).not.toContain(text);
  });

  test.each([0, 16, 31, 33])('is not made of %i bytes', (length) => {
    expect(() => mintKey(new Uint8Array(length), { apps: ['shop'] })).toThrow(RangeError);
  });
});

test.each([
  ['without an end', {}, 'good'],
  ['before its end', { expiresAt: NOW + 1 }, 'good'],
  ['at its end', { expiresAt: NOW }, 'expired'],
  ['revoked', { revokedAt: NOW - 1 }, 'revoked'],
  ['revoked by a clock that is ahead', { revokedAt: NOW + 1 }, 'revoked'],
  ['revoked and past its end', { revokedAt: NOW - 2, expiresAt: NOW - 1 }, 'revoked'],
])('a key %s', (_, times, standing) => {
  expect(standingOf({ ...key, ...times }, NOW)).toBe(standing);
});

test.each([
  ['the first use', undefined, true],
  ['one within the minute', NOW - 59_999, false],
  ['one a minute later', NOW - 60_000, true],
  ['one by a clock that is behind', NOW + 1, false],
])('%s', (_, lastUsedAt, worth) => {
  expect(isUseWorthNoting({ lastUsedAt }, NOW)).toBe(worth);
});
