import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDataAccessApp } from '../../../functions/data-access/app.ts';
import type { Apps } from '../../../functions/data-access/apps/apps.ts';
import type { Engine } from '../../../functions/data-access/engines/engine.ts';
import { appSettingsSchema } from '../../../shared/access/app-settings.ts';
import { BusyError, QueryLimitError, UpstreamError } from '../../../shared/runtime/errors.ts';
import { KEY, NOW, reply, type Sample, sample } from './sample-app.ts';

let shop: Sample;
beforeAll(async () => {
  shop = await sample();
});
afterAll(() => shop.close());
// Requests to unknown apps count against the default limit.
beforeEach(() => shop.clock.sleep(1000));

const EVENTS = '/v2/event/analytics';
const USERS = '/api/data-access/v1/user';

describe('a request is refused with', () => {
  const rows: [name: string, path: string, status: number, code: string][] = [
    ['no key', `${EVENTS}?appid=shop`, 401, 'MISSING_CREDENTIALS'],
    ['no app', `${EVENTS}?apikey=${KEY}`, 400, 'INVALID_REQUEST'],
    ['a wrong key', `${EVENTS}?appid=shop&apikey=wrong`, 401, 'INVALID_CREDENTIALS'],
    ['an app out of scope', `${EVENTS}?appid=other&apikey=${KEY}`, 403, 'FORBIDDEN'],
    ['an app that does not exist', `${EVENTS}?appid=nowhere&apikey=${KEY}`, 403, 'FORBIDDEN'],
    ['an app without data', `${EVENTS}?appid=empty&apikey=${KEY}`, 503, 'UNAVAILABLE'],
    ['an unknown endpoint', `/v2/gesture?appid=shop&apikey=${KEY}`, 404, 'NOT_FOUND'],
  ];
  test.each(rows)('%s', async (_, path, status, code) => {
    const answer = await reply(await shop.app.request(path));
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  });

  test('the same response for an app out of scope and an unknown app', async () => {
    const [other, nowhere] = await Promise.all(
      ['other', 'nowhere'].map(async (id) =>
        (await shop.app.request(`${EVENTS}?appid=${id}&apikey=${KEY}`)).text(),
      ),
    );
    expect(other).toBe(nowhere);
  });
});

describe('rate limits', () => {
  test('are in the headers, refuse the sixth request in a second, and reset', async () => {
    const limited = await sample({ settings: { rateLimit: {} } });
    try {
      const first = await limited.get(EVENTS);
      expect(first.headers.get('X-RateLimit-Limit')).toBe('5');
      expect(first.headers.get('X-RateLimit-Remaining')).toBe('4');
      expect(first.headers.get('X-RateLimit-Reset')).toBe('1');
      const invalid = await limited.get(EVENTS, { page: 0 });
      expect(invalid.headers.get('X-RateLimit-Remaining')).toBe('3');
      for (let call = 0; call < 3; call += 1) expect((await limited.post(USERS)).status).toBe(200);
      const sixth = await limited.get(EVENTS);
      expect([sixth.status, sixth.body.error?.code]).toEqual([429, 'RATE_LIMITED']);
      expect(sixth.headers.get('Retry-After')).toBe('1');
      await limited.clock.sleep(1000);
      expect((await limited.get(EVENTS)).status).toBe(200);
    } finally {
      await limited.close();
    }
  });

  const post = (app: Sample['app'], key: string, body: string, type = 'application/json') =>
    app.request(USERS, { method: 'POST', headers: { 'X-Api-Key': key, 'Content-Type': type }, body });

  test('count invalid requests of an app, and none without an app', async () => {
    const limited = await sample({ settings: { rateLimit: {} } });
    try {
      const answers = [
        await post(limited.app, KEY, '{'),
        await post(limited.app, KEY, '{}', 'text/plain'),
        await post(limited.app, KEY, `"${'x'.repeat(300_000)}"`),
        await post(limited.app, KEY, '{"app_id":"other"}'),
        await post(limited.app, KEY, '{"app_id":"nowhere"}'),
        await post(limited.app, KEY, '{'),
        await post(limited.app, KEY, '{"app_id":"shop","sort":1}'),
      ];
      expect(answers.map(({ status }) => status)).toEqual([400, 415, 413, 403, 403, 400, 400]);
      const left = answers.map(({ headers }) => headers.get('X-RateLimit-Remaining'));
      // The last request has an app of the key, which has its own limit.
      expect(left).toEqual([null, null, null, '4', '3', null, '4']);
    } finally {
      await limited.close();
    }
  });

  test.each(['{', `"${'x'.repeat(300_000)}"`])(
    'do not apply to an unknown key, whose body is ignored',
    async (body) => {
      const { status, headers } = await post(shop.app, 'wrong', body);
      expect([status, headers.get('X-RateLimit-Limit')]).toEqual([401, null]);
    },
  );
});

describe('an internal error', () => {
  const failing = (error: Error) => {
    const logged: unknown[] = [];
    const engine: Engine = { answer: () => Promise.reject(error) };
    const settings = appSettingsSchema.parse({ id: 'shop', name: 'Shop' });
    const keys = {
      find: async (sha256: string) => ({ id: 'k', sha256, apps: ['shop'] }),
      noteUse: async () => {},
    };
    const apps: Apps = {
      settingsOf: async () => settings,
      withApp: async (_, use) => ({ answer: await use({ settings, engine }) }),
      close: () => {},
    };
    const log = (message: string, fields?: unknown) => logged.push([message, fields]);
    const logger = { warn: log, error: log };
    return { app: createDataAccessApp({ keys, apps, clock: { now: () => NOW }, logger }), logged };
  };
  const rows: [error: Error, status: number, code: string][] = [
    [new Error('SELECT * FROM /secret/path'), 500, 'INTERNAL'],
    [new UpstreamError('SELECT broke', { retryable: false }), 500, 'INTERNAL'],
    [new UpstreamError('SELECT file gone', { retryable: true }), 503, 'UNAVAILABLE'],
    [new BusyError('SELECT waited'), 503, 'UNAVAILABLE'],
    [new QueryLimitError('SELECT stopped'), 504, 'QUERY_TIMEOUT'],
  ];
  test.each(rows)('%s is logged once and answered with %i', async (error, status, code) => {
    const { app, logged } = failing(error);
    const answer = await reply(await app.request(`${EVENTS}?appid=shop&apikey=${KEY}`));
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
    expect(answer.headers.get('Retry-After')).toBe(error instanceof BusyError ? '5' : null);
    expect(JSON.stringify(answer.body)).not.toMatch(/SELECT|secret/);
    expect(logged).toEqual([
      ['request failed', { requestId: answer.headers.get('X-Request-Id'), path: EVENTS, error }],
    ]);
    expect(JSON.stringify(logged)).not.toContain(KEY);
  });
});
