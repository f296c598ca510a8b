import fc from 'fast-check';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { signedLinks } from '../../../shared/access/signed-links.ts';
import { type Claims, LINK_LIVES_MS } from '../../../shared/messages/link-purposes.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';

const NOW = Date.UTC(2026, 2, 3, 9, 30);
const KEY = 'k'.repeat(43);
const OTHER_KEY = 'o'.repeat(43);
const CLAIMS: Claims<'answer'> = {
  answer: 'snooze-1h',
  ruleId: 'sales',
  segment: 'Malta',
  firedWindowEndAt: NOW - DAY_MS,
};

const clock = new ManualClock(NOW);
const signer = signedLinks(async () => KEY, clock);
const at = (time: number, secret = KEY) => signedLinks(async () => secret, new ManualClock(time));

/** A token signed with the right key but other contents. */
function forged(claims: object, { key = KEY, alg = 'HS256' } = {}): Promise<string> {
  const payload = { aud: 'answer', jti: 'a', exp: NOW / 1000 + 60, ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg }).sign(new TextEncoder().encode(key));
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a signed link', () => {
  it('verifies with its claims until it expires', async () => {
    const token = await signer.sign('answer', CLAIMS, 'a1');
    const expiresAt = NOW + LINK_LIVES_MS.answer;
    expect(await signer.verify('answer', token)).toEqual({
      ...{ kind: 'valid', id: 'a1', claims: CLAIMS, expiresAt },
    });
    expect(await at(expiresAt - 1000).verify('answer', token)).toMatchObject({ kind: 'valid' });
    expect(await at(expiresAt).verify('answer', token)).toEqual({ kind: 'expired' });
  });

  it.each([
    ['answer', 14 * DAY_MS],
    ['picture', 60 * DAY_MS],
    ['sign-in', 600_000],
    ['session', DAY_MS / 2],
  ] as const)('for %s expires after %d ms', (purpose, life) => {
    expect(LINK_LIVES_MS[purpose]).toBe(life);
  });

  it('accepts any segment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (segment) => {
        const token = await signer.sign('answer', { ...CLAIMS, segment }, 'a1');
        expect(token).toMatch(/^[\w.-]+$/);
        expect(await signer.verify('answer', token)).toMatchObject({ claims: { segment } });
      }),
      { numRuns: 50 },
    );
  });

  it('is short enough for eight in one message', async () => {
    const claims = { ...CLAIMS, answer: 'snooze-until-recovered', ruleId: 'checkout-conversion' } as const;
    expect((await signer.sign('answer', claims, '0123456789abcdef')).length).toBeLessThan(310);
  });
});

describe('a token is rejected as foreign if it', () => {
  const expectForeign = async (token: string | Promise<string>): Promise<void> => {
    expect(await signer.verify('answer', await token)).toEqual({ kind: 'foreign' });
  };

  it('has any letter changed', async () => {
    const token = await signer.sign('answer', CLAIMS, 'a1');
    for (let i = 0; i < token.length; i++) {
      const letter = token[i] === 'A' ? 'B' : 'A';
      await expectForeign(`${token.slice(0, i)}${letter}${token.slice(i + 1)}`);
    }
  });

  it('has another spelling of its last letter', async () => {
    const token = await signer.sign('answer', CLAIMS, 'a1');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(token.slice(-1));
    for (const same of [1, 2, 3]) await expectForeign(`${token.slice(0, -1)}${alphabet[last + same]}`);
  });

  it('has another purpose', async () => {
    await expectForeign(signer.sign('picture', { ruleId: 'sales', segment: null, throughAt: NOW }, 'a1'));
    await expectForeign(signer.sign('session', { by: 'Anna' }, 'a1'));
    const token = await signer.sign('answer', CLAIMS, 'a1');
    expect(await signer.verify('session', token)).toEqual({ kind: 'foreign' });
    expect(await signer.verify('sign-in', token)).toEqual({ kind: 'foreign' });
  });

  it.each<[string, () => string | Promise<string>]>([
    ['is signed with another key', () => at(NOW, OTHER_KEY).sign('answer', CLAIMS, 'a1')],
    ['is not signed', () => `${part({ alg: 'none' })}.${part({ ...CLAIMS, aud: 'answer', jti: 'a' })}.`],
    [
      'declares no signature and has one',
      async () => {
        const [, payload, signature] = (await forged(CLAIMS)).split('.');
        return `${part({ alg: 'none' })}.${payload}.${signature}`;
      },
    ],
    ['uses another algorithm', () => forged(CLAIMS, { alg: 'HS512' })],
    ['has unknown claims', () => forged({ ...CLAIMS, answer: 'delete' })],
    ['lacks a claim', () => forged({ ...CLAIMS, ruleId: undefined })],
    ['has no expiry', () => forged({ ...CLAIMS, exp: undefined })],
    ['has no id', () => forged({ ...CLAIMS, jti: undefined })],
    ['is empty', () => ''],
    ['is three dots', () => '...'],
    ['has invalid characters', () => '<script>alert(1)</script>'],
    ['is a megabyte long', () => 'A'.repeat(1_000_000)],
    ['has trailing characters', async () => `${await signer.sign('answer', CLAIMS, 'a1')}\n`],
  ])('%s', (_, token) => expectForeign(token()));
});

describe('keys', () => {
  it('are rotated by putting the new key before the old one', async () => {
    const old = await at(NOW, OTHER_KEY).sign('answer', CLAIMS, 'a1');
    const both = at(NOW, `${KEY}\n${OTHER_KEY}\n`);
    expect(await both.verify('answer', old)).toMatchObject({ kind: 'valid' });
    const fresh = await both.sign('answer', CLAIMS, 'a1');
    expect(await signer.verify('answer', fresh)).toMatchObject({ kind: 'valid' });
    expect(await signer.verify('answer', old)).toEqual({ kind: 'foreign' });
  });

  it('are read again for each token', async () => {
    let secret = KEY;
    const links = signedLinks(async () => secret, clock);
    const token = await links.sign('answer', CLAIMS, 'a1');
    secret = OTHER_KEY;
    expect(await links.verify('answer', token)).toEqual({ kind: 'foreign' });
  });

  it.each([
    ['too short', 'secret', /at least 43/],
    ['missing', '\n', /is empty/],
  ])('that are %s are refused without being quoted', async (_, secret, message) => {
    const refused = signedLinks(async () => secret, clock).sign('answer', CLAIMS, 'a1');
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow(/secret$/);
  });
});
