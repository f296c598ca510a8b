import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answered } from '../../../../functions/data-access/requests/access-log.ts';
import { KEY, type Reply, reply, type Sample, sample } from '../sample-app.ts';

const SESSIONS = '/v2/session/analytics';
const USERS = '/api/data-access/v1/user';
const OTHER = 'k-other-key';

let shop: Sample;
const answered: Answered[] = [];
beforeAll(async () => {
  shop = await sample({ service: { onAnswered: (request) => answered.push(request) } });
});
afterAll(() => shop.close());
// Requests without an app of the key count against the default limit.
beforeEach(() => shop.clock.sleep(1000));

const get = async (query: string, headers: Record<string, string> = {}): Promise<Reply> =>
  reply(await shop.app.request(`${SESSIONS}?${query}`, { headers }));
const post = async (headers: Record<string, string>, body: object = { app_id: 'shop' }): Promise<Reply> => {
  const all = { 'Content-Type': 'application/json', ...headers };
  return reply(await shop.app.request(USERS, { method: 'POST', headers: all, body: JSON.stringify(body) }));
};

describe('credentials are accepted', () => {
  test.each<[name: string, query: string, headers: Record<string, string>]>([
    ['from the query', `appid=shop&apikey=${KEY}`, {}],
    ['from two headers', '', { 'X-App-Id': 'shop', 'X-Api-Key': KEY }],
    ['from a header apikey', 'appid=shop', { apikey: KEY }],
    ['from a header apikey beside X-App-Id', '', { apikey: KEY, 'X-App-Id': 'shop' }],
    ['from a header and the query', `apikey=${KEY}`, { 'X-App-Id': 'shop' }],
    ['twice if they are equal', `appid=shop&apikey=${KEY}`, { 'X-App-Id': 'shop', 'X-Api-Key': KEY }],
  ])('%s', async (_, query, headers) => {
    expect((await get(query, headers)).status).toBe(200);
  });

  test.each<[name: string, headers: Record<string, string>]>([
    ['X-Api-Key', { 'X-Api-Key': KEY }],
    ['apikey', { apikey: KEY }],
    ['X-Api-Key, with the app in a header as well', { 'X-Api-Key': KEY, 'X-App-Id': 'shop' }],
  ])('with a body from the header %s', async (_, headers) => {
    expect((await post(headers)).status).toBe(200);
  });
});

describe('missing or contradictory credentials are refused:', () => {
  test('two keys, even if one of them is valid', async () => {
    for (const [inQuery, inHeader] of [
      [KEY, OTHER],
      [OTHER, KEY],
    ]) {
      const { status, body } = await get(`appid=shop&apikey=${inQuery}`, { 'X-Api-Key': inHeader ?? '' });
      expect([status, body.error]).toEqual([
        401,
        {
          code: 'INVALID_CREDENTIALS',
          message: 'the query parameter apikey and the header X-Api-Key contain different keys',
        },
      ]);
    }
    const { status, body } = await post({ 'X-Api-Key': KEY, apikey: OTHER });
    expect([status, body.error?.message]).toEqual([
      401,
      'the header X-Api-Key and the header apikey contain different keys',
    ]);
  });

  test('two apps, which counts as a request without an app', async () => {
    const { status, body, headers } = await get(`appid=shop&apikey=${KEY}`, { 'X-App-Id': 'empty' });
    const message = 'appid and X-App-Id contain different apps';
    expect([status, body.error]).toEqual([
      400,
      { code: 'INVALID_REQUEST', message, details: [{ path: 'appid', message }] },
    ]);
    expect(headers.get('X-RateLimit-Remaining')).toBe('4');
    const posted = await post({ 'X-Api-Key': KEY, 'X-App-Id': 'empty' });
    expect([posted.status, posted.body.error?.message]).toEqual([
      400,
      'app_id and X-App-Id contain different apps',
    ]);
  });

  test('a body without an app, even with an app in a header', async () => {
    const { status, body } = await post({ 'X-Api-Key': KEY, 'X-App-Id': 'shop' }, {});
    expect([status, body.error]).toMatchObject([400, { details: [{ path: 'app_id' }] }]);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    ['no key', { 'X-App-Id': 'shop' }, /send the key in the header X-Api-Key or apikey/],
    [
      'no app',
      { 'X-Api-Key': KEY },
      /the app id in the body as app_id .* the header X-App-Id or the query parameter appid/,
    ],
  ])('%s', async (_, headers, says) => {
    const { status, body } = await get('', headers);
    expect([status, body.error]).toMatchObject([401, { code: 'MISSING_CREDENTIALS' }]);
    expect(body.error?.message).toMatch(says);
  });
});

test('keys in headers are neither logged nor returned', async () => {
  answered.length = 0;
  const replies = [
    await get('appid=shop', { apikey: KEY }),
    await get(`appid=shop&apikey=${OTHER}`, { 'X-Api-Key': KEY }),
    await get('appid=shop', { apikey: OTHER }),
    await get('appid=shop&page=0', { apikey: KEY }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([200, 401, 401, 400]);
  expect(answered).toHaveLength(4);
  for (const key of [KEY, OTHER]) {
    expect(JSON.stringify([answered, shop.logged])).not.toContain(key);
    expect(JSON.stringify(replies.map(({ body }) => body))).not.toContain(key);
  }
});
