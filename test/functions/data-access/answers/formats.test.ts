import { expect, test } from 'vitest';
import { closingSamples, event, KEY, range, type Sample, session } from '../sample-app.ts';

const shopWith = closingSamples();
const WINDOW = { filters: [range('2026-04-01', '2026-04-01')] };

function ask(
  shop: Sample,
  path: string,
  headers: Record<string, string>,
  asked: object = WINDOW,
): Promise<Response> {
  const query = new URLSearchParams({ appid: 'shop' });
  for (const [name, value] of Object.entries(asked)) query.set(name, JSON.stringify(value));
  return Promise.resolve(shop.app.request(`${path}?${query}`, { headers: { 'X-Api-Key': KEY, ...headers } }));
}
const csv = { Accept: 'text/csv' };

test('figures as CSV: quotes, missing values, and no formulas', async () => {
  const cities = ['=1+1', '+49', '-5', '@x', 'a,"b"', 'two\nlines', '', null, 'Köln'];
  const shop = await shopWith({ sessions: cities.map((city) => session({ city, duration_sec: 1.5 })) });
  const response = await ask(shop, '/v2/session/analytics', csv, {
    ...WINDOW,
    group_by: [{ attribute: 'device_city' }],
    aggregation: [{ attribute: 'session_count' }, { attribute: 'avg_session_duration' }],
    sort: [{ attribute: 'device_city', direction: 'asc' }],
  });
  expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('X-Pagination')).toBe('{"current":1,"next":null,"total":9}');
  expect((await response.text()).split('\r\n')).toEqual([
    'device_city,session_count,avg_session_duration',
    ...[',1,1.5', "'+49,1,1.5", "'-5,1,1.5", "'=1+1,1,1.5", "'@x,1,1.5", 'Köln,1,1.5'],
    ...['"a,""b""",1,1.5', '"two\nlines",1,1.5', ',1,1.5', ''],
  ]);
});

test('negative numbers stay numbers', async () => {
  const of = session();
  const shop = await shopWith({ sessions: [of], events: [event(of, { properties: { price: -4 } })] });
  const aggregation = [{ attribute: 'min_event_custom_property', property_name: 'price' }];
  const response = await ask(shop, '/v2/event/analytics', csv, { ...WINDOW, aggregation });
  expect(await response.text()).toBe('min_event_custom_property_price\r\n-4\r\n');
});

test('records as CSV, with custom properties as JSON and the columns of all records', async () => {
  const of = session({ device_model: 'Pixel 8', user_properties: { plan: '=x' } });
  const shop = await shopWith({
    sessions: [of],
    events: [event(of, { event_id: 'e', properties: { a: { b: 1 } } })],
  });
  const [names = '', record] = (await (await ask(shop, '/v2/event', csv)).text()).split('\r\n');
  expect(names.split(',')).toEqual([
    ...['eventId', 'eventName', 'eventScreen', 'eventDate', 'url'],
    ...['sessionProperty.sessionId', 'sessionProperty.hasVideo', 'sessionProperty.durationSec'],
    ...['userProperty', 'eventProperty', 'device.model', 'device.platform'],
  ]);
  expect(record).toContain(',true,60,"{""plan"":""=x"",');
  expect(record).toMatch(/,"{""a"":{""b"":1}}",Pixel 8,1$/);
  const web = session({ platform: 'web' });
  const users = await shopWith({ sessions: [of, web] });
  const body = JSON.stringify({ app_id: 'shop', ...WINDOW });
  const headers = { 'X-Api-Key': KEY, 'Content-Type': 'application/json', ...csv };
  const listed = await users.app.request('/api/data-access/v1/user', { method: 'POST', headers, body });
  const lines = (await listed.text()).trim().split('\r\n');
  expect(new Set(lines.map((line) => line.split(',').length)).size).toBe(1);
});

test('the catalogue as CSV has its properties as JSON', async () => {
  const of = session();
  const shop = await shopWith({ sessions: [of], events: [event(of, { properties: { price: 4 } })] });
  expect(await (await ask(shop, '/v2/event/catalogue', csv, {})).text()).toBe(
    'event_name,event_count,first_seen,last_seen,properties\r\n' +
      'purchase,1,2026-04-01T10:00:00.000Z,2026-04-01T10:00:00.000Z,' +
      '"[{""property_name"":""price"",""types"":[""number""],""values"":[4],""share"":1}]"\r\n',
  );
});

test('an answer without rows is an empty CSV, and an error stays JSON', async () => {
  const shop = await shopWith({});
  expect(await (await ask(shop, '/v2/event', csv)).text()).toBe('');
  const refused = await ask(shop, '/v2/event', csv, { filters: 'x' });
  expect([refused.status, refused.headers.get('Content-Type')]).toEqual([400, 'application/json']);
});

test.each(['*/*', 'application/json', 'application/json, text/csv;q=0.5', 'text/html'])(
  '%s is JSON',
  async (Accept) => {
    const shop = await shopWith({});
    const response = await ask(shop, '/v2/event', { Accept });
    expect(response.headers.get('Content-Type')).toBe('application/json');
  },
);

test('the same answer is 304 without a body, and another one is sent', async () => {
  const shop = await shopWith({ sessions: [session()], service: { corsOrigins: ['https://page.example'] } });
  const path = '/v2/session/analytics';
  const first = await ask(shop, path, {});
  const tag = first.headers.get('ETag') ?? '';
  expect(tag).toMatch(/^"[0-9a-f]+"$/);
  expect(first.headers.get('Cache-Control')).toBe('private, no-cache');
  const again = await ask(shop, path, { 'If-None-Match': `"other", ${tag}`, Origin: 'https://page.example' });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect(again.headers.get('X-RateLimit-Limit')).toBe('500');
  expect(again.headers.get('Access-Control-Allow-Origin')).toBe('https://page.example');
  expect((await ask(shop, path, { 'If-None-Match': tag, ...csv })).status).toBe(200);
  expect((await ask(shop, path, { 'If-None-Match': '"other"' })).status).toBe(200);
});

test('a closed window that late uploads changed has another tag', async () => {
  const late = session({ recorded_at: '2026-04-01T10:00:00Z', uploaded_at: '2026-04-10T13:00:00Z' });
  const shop = await shopWith({ sessions: [session(), late] });
  const tag = (await ask(shop, '/v2/session/analytics', {})).headers.get('ETag') ?? '';
  await shop.clock.sleep(2 * 3_600_000);
  const answer = await ask(shop, '/v2/session/analytics', { 'If-None-Match': tag });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ data: [{ session_count: 2 }] });
});

test('records of people are kept in no cache, and errors have no tag', async () => {
  const shop = await shopWith({});
  const list = await ask(shop, '/v2/user', {});
  expect(list.headers.get('Cache-Control')).toBe('no-store');
  const wrong = await ask(shop, '/v2/user/analytics', {}, { filters: 'x' });
  expect([wrong.headers.get('Cache-Control'), wrong.headers.get('ETag')]).toEqual(['no-store', null]);
});
