import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { keysIn } from '../../../../functions/data-access/apps/key-file.ts';
import { refusedKeys } from '../../../../functions/data-access/requests/refused-keys.ts';
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

describe('many unknown keys', () => {
  const from = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } });
  const guess = (shop: Sample, address: string, headers = {}) =>
    shop.app.request(`${SESSIONS}?appid=shop&apikey=guessed`, { headers }, from(address));
  const statuses = async (count: number, ask: (at: number) => Response | Promise<Response>) => {
    const found = new Set<number>();
    for (let at = 0; at < count; at += 1) found.add((await ask(at)).status);
    return [...found];
  };

  test('of one address have the limits of one key, and are logged once a minute', async () => {
    const shop = await shopWith();
    expect(await statuses(5, () => guess(shop, '192.0.2.1'))).toEqual([401]);
    // A caller can write this header.
    const forwarded = (at: number) => ({ 'X-Forwarded-For': `198.51.100.${at}` });
    expect(await statuses(30, (at) => guess(shop, '192.0.2.1', forwarded(at)))).toEqual([429]);
    const late = await guess(shop, '192.0.2.1');
    expect(late.headers.get('Retry-After')).toBe('1');
    expect(shop.logged).toEqual([['many unknown API keys come from one address', { address: '192.0.2.1' }]]);
    expect((await guess(shop, '192.0.2.2')).status).toBe(401);
    await shop.clock.sleep(60_000);
    expect(await statuses(6, () => guess(shop, '192.0.2.1'))).toEqual([401, 429]);
    expect(shop.logged).toHaveLength(2);
  });

  test('do not stop a good key of the same address, which may be that of a proxy', async () => {
    const shop = await shopWith();
    expect(await statuses(30, () => guess(shop, '192.0.2.1'))).toEqual([401, 429]);
    const good = `${SESSIONS}?appid=shop&apikey=${KEY}`;
    expect((await shop.app.request(good, {}, from('192.0.2.1'))).status).toBe(200);
  });

  test('of one IPv6 network count together, and those of API Gateway by its source address', async () => {
    const shop = await shopWith();
    expect(await statuses(30, (at) => guess(shop, `2001:db8:1:2::${at}`))).toEqual([401, 429]);
    const gateway = { requestContext: { http: { sourceIp: '192.0.2.7' } } };
    const ask = () => shop.app.request(`${SESSIONS}?appid=shop&apikey=guessed`, {}, gateway);
    expect(await statuses(30, ask)).toEqual([401, 429]);
  });

  test('of very many addresses use bounded memory: the oldest starts again', async () => {
    const refused = refusedKeys();
    const allowed = async (address: string) => (await refused(address, NOW)).allowed;
    for (let at = 0; at < 5; at += 1) await allowed('first');
    expect(await allowed('first')).toBe(false);
    for (let at = 0; at < 10_000; at += 1) await allowed(`another ${at}`);
    expect(await allowed('first')).toBe(true);
  });
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
