import { afterAll, beforeAll, expect, test } from 'vitest';
import { appsIn } from '../../../functions/data-access/apps/apps.ts';
import { openFolder, openReplayed } from '../../../local/data-access.ts';
import { newestEventsOf } from '../../../local/replay/newest-events.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { inMemoryRunStore } from '../../../shared/store/in-memory/stores.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/units/durations.ts';
import { event, NOW, range, type Sample, sample, session } from '../../functions/data-access/sample-app.ts';

const START = NOW - DAY_MS;
const iso = (at: number) => new Date(at).toISOString();

let shop: Sample;
beforeAll(async () => {
  const of = session();
  const rows = Array.from({ length: 200 }, (_, i) => {
    const at = START + i * 7 * MINUTE_MS;
    // The clock of a device may be ahead, so that an event seems to be uploaded before it happens.
    const delay = i % 20 === 10 ? -40 : ([0, 1, 50, 180, -3][(i * i) % 5] ?? 0);
    const [recorded_at, uploaded_at] = [iso(at), iso(at + delay * MINUTE_MS)];
    return event(of, { recorded_at, uploaded_at });
  });
  shop = await sample({ sessions: [of], events: rows });
});
afterAll(() => shop.close());

test('the newest event from memory is that of the service, with late uploads and clocks that are ahead', async () => {
  const [replayed, service] = [openReplayed, openFolder].map((open) => {
    const clock = new ManualClock(START);
    const { sourceFor, close } = open(shop.directory, { apiKey: 'of-the-test', clock });
    return { clock, source: sourceFor('shop', inMemoryRunStore()), close };
  });
  const newestFrom = (opened: typeof replayed, at: number, since: number) => {
    opened?.clock.advanceTo(at);
    return opened?.source.readNewestEventAt('shop', since);
  };
  const found = new Set<string>();
  for (let at = START; at < NOW + HOUR_MS; at += 11 * MINUTE_MS) {
    const since = at - (at % 3 === 0 ? 10 * MINUTE_MS : DAY_MS);
    const newest = await newestFrom(replayed, at, since);
    expect(newest).toEqual(await newestFrom(service, at, since));
    found.add(JSON.stringify(newest));
  }
  for (const opened of [replayed, service]) opened?.close();
  expect(found.size).toBeGreaterThan(30);
});

const newest = {
  page: '1',
  page_size: '1',
  filters: [range('2026-04-01T00:00:00Z', '2026-04-10T12:05:00Z')],
};

test.each([
  ['another page', '/v2/event', { ...newest, page: '2' }],
  ['another filter', '/v2/event', { ...newest, filters: [...newest.filters, ...newest.filters] }],
  ['whole days', '/v2/event', { ...newest, filters: [range('2026-04-01', '2026-04-10')] }],
  ['sessions', '/v2/session', newest],
  ['analytics', '/v2/event/analytics', newest],
  ['an app without data', '/v2/event', { ...newest, appid: 'empty' }],
])('a request for %s goes to the service', async (_, path, query) => {
  expect(await answerTo(path, query)).toBeUndefined();
});

test('the request for the newest event is answered from memory', async () => {
  expect((await answerTo('/v2/event', newest))?.status).toBe(200);
});

async function answerTo(path: string, query: object) {
  const apps = appsIn(shop.directory);
  const url = new URL(`http://data-access.local${path}?appid=shop`);
  for (const [name, value] of Object.entries(query))
    url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  const answer = await newestEventsOf(apps, new ManualClock(NOW))(String(url));
  apps.close();
  return answer;
}
