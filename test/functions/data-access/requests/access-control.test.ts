import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { keysIn } from '../../../../functions/data-access/apps/key-file.ts';
import { hashOf } from '../../../../shared/access/api-key.ts';
import { UpstreamError } from '../../../../shared/runtime/errors.ts';
import { HOUR_MS } from '../../../../shared/units/durations.ts';
import { KEY, NOW, type Sample, type SampleOptions, sample } from '../sample-app.ts';

const SESSIONS = '/v2/session/analytics';

let opened: Sample[] = [];
afterEach(async () => {
  await Promise.all(opened.map((one) => one.close()));
  opened = [];
});
async function shopWith(options: SampleOptions = {}): Promise<Sample> {
  const one = await sample(options);
  opened.push(one);
  return one;
}
const key = { id: 'k', sha256: hashOf('sesame'), apps: ['shop'] };
const ask = (shop: Sample, apiKey: string) => shop.app.request(`${SESSIONS}?appid=shop&apikey=${apiKey}`);

test('unknown, expired and revoked keys get the same response', async () => {
  const shop = await shopWith();
  const keys = keysIn(shop.directory);
  await keys.create({ ...key, expiresAt: NOW + HOUR_MS });
  await keys.create({ id: 'r', sha256: hashOf('revoked'), apps: ['shop'] });
  expect((await ask(shop, 'sesame')).status).toBe(200);
  expect((await ask(shop, 'revoked')).status).toBe(200);
  await keys.revoke('r', NOW);
  await shop.clock.sleep(HOUR_MS);
  const answers = await Promise.all(['nobody', 'sesame', 'revoked'].map((text) => ask(shop, text)));
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  expect(bodies[0]).toContain('INVALID_CREDENTIALS');
  expect(new Set(bodies).size).toBe(1);
});

test('the last use of a key is saved without changing the file of keys', async () => {
  const shop = await shopWith();
  const path = join(shop.directory, 'keys.json');
  const before = await readFile(path, 'utf8');
  await Promise.all(Array.from({ length: 5 }, () => ask(shop, KEY)));
  await ask(shop, 'nobody');
  expect(await readFile(path, 'utf8')).toBe(before);
  expect(await keysIn(shop.directory).list()).toMatchObject([{ id: 'k1', lastUsedAt: NOW }]);
});

test('a request succeeds if the last use of its key cannot be saved', async () => {
  const kept = { find: async () => ({ ...key, apps: ['shop'] }) };
  const error = new UpstreamError('the disk is full', { retryable: true });
  const shop = await shopWith({ service: { keys: { ...kept, noteUse: () => Promise.reject(error) } } });
  expect((await ask(shop, 'sesame')).status).toBe(200);
  expect(shop.logged).toEqual([['the last use of a key could not be saved', { keyId: 'k', error }]]);
});

test('a request is refused if it cannot be counted against the limit', async () => {
  const error = new UpstreamError('DynamoDB cannot be reached', { retryable: true });
  const limiter = { admit: () => Promise.reject(error) };
  const shop = await shopWith({ service: { limiter }, settings: { rateLimit: {} } });
  const answer = await ask(shop, KEY);
  expect([answer.status, await answer.json()]).toEqual([
    503,
    expect.objectContaining({ error: expect.objectContaining({ code: 'UNAVAILABLE' }) }),
  ]);
});

test('requests to an app with unreadable settings are counted, then answered as unavailable', async () => {
  const error = new UpstreamError('DynamoDB cannot be reached', { retryable: true });
  const apps = { settingsOf: () => Promise.reject(error), withApp: async () => undefined, close: () => {} };
  const shop = await shopWith({ service: { apps } });
  const answers = [];
  for (let call = 0; call < 6; call += 1) answers.push(await ask(shop, KEY));
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503, 429]);
  expect(answers[0]?.headers.get('X-RateLimit-Remaining')).toBe('4');
});

test('a response over the limit has the Retry-After of that limit', async () => {
  const hourly = await shopWith({ settings: { rateLimit: { perSecond: 50, perHour: 1 } } });
  await ask(hourly, KEY);
  const late = await ask(hourly, KEY);
  expect([late.status, late.headers.get('Retry-After')]).toEqual([429, '3600']);
});

test.each([
  ['keys.json', '[{"id":"k1"}]'],
  ['keys.json', '[{"id":"k1","sha2'],
  ['shop.json', ''],
  ['shop.json', '{"id":"shop","name":"Shop","zone":"Nowhere"}'],
  ['shop.json', undefined],
])(
  'an invalid %s (%j) makes requests unavailable until it is fixed, and only the log has details',
  async (name, content) => {
    const shop = await shopWith();
    const path = join(shop.directory, name);
    const good = await readFile(path);
    await rm(path);
    await (content === undefined ? mkdir(path) : writeFile(path, content));
    const answer = await ask(shop, KEY);
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain(name);
    const error = expect.objectContaining({ message: expect.stringContaining(`${name} cannot be read`) });
    expect(shop.logged).toEqual([['request failed', expect.objectContaining({ error })]]);
    expect(inspect(shop.logged)).not.toContain(shop.directory);
    await rm(path, { recursive: true });
    await writeFile(path, good);
    expect((await ask(shop, KEY)).status).toBe(200);
  },
);

test('requests succeed with an unreadable file of last uses, which is not overwritten', async () => {
  const shop = await shopWith();
  const path = join(shop.directory, 'keys.used.json');
  await writeFile(path, '{"k1":"2026-03-01T00:00:00Z"}x');
  expect((await ask(shop, KEY)).status).toBe(200);
  expect(shop.logged).toMatchObject([
    [
      'the last use of a key could not be saved',
      { error: { message: expect.stringMatching(/^keys\.used\.json/) } },
    ],
  ]);
  expect(await readFile(path, 'utf8')).toMatch(/x$/);
  await expect(keysIn(shop.directory).list()).rejects.toThrow(path);
});
