import fc from 'fast-check';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { signedLinks } from '../../../../shared/adapters/links/signed-links.ts';
import { type Claims, LINK_LIVES_MS } from '../../../../shared/alerting/messages/link-purposes.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';

const NOW = Date.UTC(2026, 2, 3, 9, 30);
const DAY = 86_400_000;
const KEY = 'k'.repeat(43);
const OTHER_KEY = 'o'.repeat(43);
const CLAIMS: Claims<'answer'> = {
  answer: 'snooze-1h',
  ruleId: 'sales',
  segment: 'Malta',
  firedWindowEndAt: NOW - DAY,
};

const clock = new ManualClock(NOW);
const signer = signedLinks(async () => KEY, clock);
const at = (time: number, secret = KEY) => signedLinks(async () => secret, new ManualClock(time));

/** What whoever has the key could sign by other means. */
function forged(claims: object, { key = KEY, alg = 'HS256' } = {}): Promise<string> {
  const payload = { aud: 'answer', jti: 'a', exp: NOW / 1000 + 60, ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg }).sign(new TextEncoder().encode(key));
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a signed link', () => {
  it('says what was signed, until it expires', async () => {
    const token = await signer.sign('answer', CLAIMS, 'a1');
    const expiresAt = NOW + LINK_LIVES_MS.answer;
    expect(await signer.verify('answer', token)).toEqual({
      ...{ kind: 'valid', id: 'a1', claims: CLAIMS, expiresAt },
    });
    expect(await at(expiresAt - 1000).verify('answer', token)).toMatchObject({ kind: 'valid' });
    expect(await at(expiresAt).verify('answer', token)).toEqual({ kind: 'expired' });
  });

  it.each([
    ['answer', 14 * DAY],
    ['picture', 60 * DAY],
    ['sign-in', 600_000],
    ['session', DAY / 2],
  ] as const)('to %s lives %d ms', (purpose, life) => {
    expect(LINK_LIVES_MS[purpose]).toBe(life);
  });

  it('holds any segment there is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (segment) => {
        const token = await signer.sign('answer', { ...CLAIMS, segment }, 'a1');
        expect(token).toMatch(/^[\w.-]+$/);
        expect(await signer.verify('answer', token)).toMatchObject({ claims: { segment } });
      }),
      { numRuns: 50 },
    );
  });

  it('is short enough for eight of them to fit in one message', async () => {
    const claims = { ...CLAIMS, answer: 'snooze-until-recovered', ruleId: 'checkout-conversion' } as const;
    expect((await signer.sign('answer', claims, '0123456789abcdef')).length).toBeLessThan(310);
  });
});

describe('what is not ours', () => {
  const none = async (token: string | Promise<string>): Promise<void> => {
    expect(await signer.verify('answer', await token)).toEqual({ kind: 'foreign' });
  };

  it('is any token with any one letter changed', async () => {
    const token = await signer.sign('answer', CLAIMS, 'a1');
    for (let i = 0; i < token.length; i++) {
      const letter = token[i] === 'A' ? 'B' : 'A';
      await none(`${token.slice(0, i)}${letter}${token.slice(i + 1)}`);
    }
  });

  it('is a token with another spelling of its last letter', async () => {
    const token = await signer.sign('answer', CLAIMS, 'a1');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(token.slice(-1));
    for (const same of [1, 2, 3]) await none(`${token.slice(0, -1)}${alphabet[last + same]}`);
  });

  it('is one of another purpose', async () => {
    await none(signer.sign('picture', { ruleId: 'sales', segment: null, throughAt: NOW }, 'a1'));
    await none(signer.sign('session', { by: 'Anna' }, 'a1'));
    const token = await signer.sign('answer', CLAIMS, 'a1');
    expect(await signer.verify('session', token)).toEqual({ kind: 'foreign' });
    expect(await signer.verify('sign-in', token)).toEqual({ kind: 'foreign' });
  });

  it('is one of another purpose, expired too', async () => {
    const token = await signer.sign('sign-in', { by: 'Anna', to: '/' }, 'a1');
    expect(await at(NOW + DAY).verify('session', token)).toEqual({ kind: 'foreign' });
  });

  it.each<[string, () => string | Promise<string>]>([
    ['signed by another key', () => at(NOW, OTHER_KEY).sign('answer', CLAIMS, 'a1')],
    ['not signed', () => `${part({ alg: 'none' })}.${part({ ...CLAIMS, aud: 'answer', jti: 'a' })}.`],
    [
      'said not to be signed, with a signature',
      async () => {
        const [, payload, signature] = (await forged(CLAIMS)).split('.');
        return `${part({ alg: 'none' })}.${payload}.${signature}`;
      },
    ],
    ['signed by another algorithm', () => forged(CLAIMS, { alg: 'HS512' })],
    ['of claims that we do not make', () => forged({ ...CLAIMS, answer: 'delete' })],
    ['without a claim', () => forged({ ...CLAIMS, ruleId: undefined })],
    ['without an end', () => forged({ ...CLAIMS, exp: undefined })],
    ['without an id', () => forged({ ...CLAIMS, jti: undefined })],
    ['empty', () => ''],
    ['three dots', () => '...'],
    ['no letters of ours', () => '<script>alert(1)</script>'],
    ['a megabyte', () => 'A'.repeat(1_000_000)],
    ['a token and more', async () => `${await signer.sign('answer', CLAIMS, 'a1')}\n`],
  ])('is what is %s', (_, token) => none(token()));

  it('is any text, without a throw', async () => {
    const word = fc.string({ unit: 'binary' });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          word,
          fc.tuple(word, word, word).map((parts) => parts.join('.')),
        ),
        none,
      ),
    );
  });
});

describe('keys', () => {
  it('are replaced by putting a new one before the old one', async () => {
    const old = await at(NOW, OTHER_KEY).sign('answer', CLAIMS, 'a1');
    const both = at(NOW, `${KEY}\n${OTHER_KEY}\n`);
    expect(await both.verify('answer', old)).toMatchObject({ kind: 'valid' });
    const fresh = await both.sign('answer', CLAIMS, 'a1');
    expect(await signer.verify('answer', fresh)).toMatchObject({ kind: 'valid' });
    expect(await signer.verify('answer', old)).toEqual({ kind: 'foreign' });
  });

  it('are taken up as they are replaced', async () => {
    let secret = KEY;
    const links = signedLinks(async () => secret, clock);
    const token = await links.sign('answer', CLAIMS, 'a1');
    secret = OTHER_KEY;
    expect(await links.verify('answer', token)).toEqual({ kind: 'foreign' });
  });

  it.each([
    ['too short', 'secret', /at least 43/],
    ['none at all', '\n', /is empty/],
  ])('that are %s are refused without being told', async (_, secret, message) => {
    const refused = signedLinks(async () => secret, clock).sign('answer', CLAIMS, 'a1');
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow(/secret$/);
  });
});
