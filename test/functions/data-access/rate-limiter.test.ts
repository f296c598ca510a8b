import { describe, expect, test } from 'vitest';
import { RateLimiter } from '../../../functions/data-access/rate-limiter.ts';

const LIMIT = { perSecond: 2, perHour: 4, enforce: true };

describe('RateLimiter', () => {
  test('two in any second, whichever second it is', () => {
    const limiter = new RateLimiter();
    expect(limiter.admit('k', LIMIT, 900)).toEqual({
      allowed: true,
      limit: 2,
      remaining: 1,
      resetSeconds: 1,
    });
    expect(limiter.admit('k', LIMIT, 1000)).toMatchObject({ allowed: true, remaining: 0 });
    expect(limiter.admit('k', LIMIT, 1899)).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 1 });
    expect(limiter.admit('k', LIMIT, 1900)).toMatchObject({ allowed: true });
  });

  test('the hour is full after four, until the first is an hour old; refused ones do not count', () => {
    const limiter = new RateLimiter();
    for (const at of [0, 1000, 2000, 3000]) expect(limiter.admit('k', LIMIT, at).allowed).toBe(true);
    const refused = { allowed: false, limit: 4, remaining: 0, resetSeconds: 3590 };
    expect(limiter.admit('k', LIMIT, 10_000)).toEqual(refused);
    expect(limiter.admit('k', LIMIT, 3_599_999)).toMatchObject({ allowed: false, resetSeconds: 1 });
    expect(limiter.admit('k', LIMIT, 3_600_000).allowed).toBe(true);
    expect(limiter.admit('k', LIMIT, 3_600_001).allowed).toBe(false);
  });

  test('keys do not share, and what is not enforced is not counted', () => {
    const limiter = new RateLimiter();
    for (let call = 0; call < 10; call += 1) {
      expect(limiter.admit('k', { ...LIMIT, enforce: false }, 0)).toMatchObject({
        allowed: true,
        remaining: 4,
      });
    }
    limiter.admit('k', LIMIT, 0);
    limiter.admit('k', LIMIT, 0);
    expect(limiter.admit('k', LIMIT, 0).allowed).toBe(false);
    expect(limiter.admit('other', LIMIT, 0).allowed).toBe(true);
  });
});
