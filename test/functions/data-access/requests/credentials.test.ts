import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answered } from '../../../../functions/data-access/requests/access-log.ts';
import { KEY, type Reply, reply, type Sample, sample } from '../sample-app.ts';

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
  reply(await shop.app.request(`/v2/session/analytics?${query}`, { headers }));
const post = async (headers: Record<string, string>, body: object = { app_id: 'shop' }): Promise<Reply> => {
  const all = { 'Content-Type': 'application/json', ...headers };
  const init = { method: 'POST', headers: all, body: JSON.stringify(body) };
  return reply(await shop.app.request('/api/data-access/v1/user', init));
};

test.each<[name: string, query: string, headers: Record<string, string>]>([
  ['from the query', `appid=shop&apikey=${KEY}`, {}],
  ['from two headers', '', { 'X-App-Id': 'shop', 'X-Api-Key': KEY }],
  ['from a header and the query', `apikey=${KEY}`, { 'X-App-Id': 'shop' }],
  ['from the headers first', `appid=empty&apikey=${OTHER}`, { 'X-App-Id': 'shop', 'X-Api-Key': KEY }],
])('credentials are accepted %s', async (_, query, headers) => {
  expect((await get(query, headers)).status).toBe(200);
});

test('with a body, the key is only in its header and the app only in the body', async () => {
  expect((await post({ 'X-Api-Key': KEY })).status).toBe(200);
  const { status, body } = await post({ 'X-Api-Key': KEY, 'X-App-Id': 'shop' }, {});
  expect([status, body.error]).toMatchObject([400, { details: [{ path: 'app_id' }] }]);
});

test('a missing app has the same status in both styles, and never uses up a limit', async () => {
  for (let call = 0; call < 20; call += 1) {
    const legacy = await get('', { 'X-Api-Key': KEY });
    expect([legacy.status, legacy.body.error]).toMatchObject([400, { details: [{ path: 'appid' }] }]);
    const inBody = await post({ 'X-Api-Key': KEY }, {});
    expect([inBody.status, inBody.body.error]).toMatchObject([400, { details: [{ path: 'app_id' }] }]);
  }
});

describe('missing credentials are refused:', () => {
  test('no key', async () => {
    const { status, body } = await get('', { 'X-App-Id': 'shop' });
    expect([status, body.error]).toMatchObject([401, { code: 'MISSING_CREDENTIALS' }]);
    expect(body.error?.message).toMatch(/send it in the header X-Api-Key/);
  });
});
