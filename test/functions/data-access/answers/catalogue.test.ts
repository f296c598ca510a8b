import { expect, test } from 'vitest';
import { DAY_MS } from '../../../../shared/units/durations.ts';
import { type Columns, closingSamples, event, NOW, session } from '../sample-app.ts';

const shopWith = closingSamples();
const CATALOGUE = '/v2/event/catalogue';
const at = (daysAgo: number) => ({ recorded_at: new Date(NOW - daysAgo * DAY_MS).toISOString() });

function eventsOf(
  of: Columns,
  name: string,
  all: readonly (readonly [daysAgo: number, properties: object])[],
) {
  return all.map(([daysAgo, properties]) =>
    event(of, { event_name: name, ...at(daysAgo), properties: { ...properties } }),
  );
}

test('names, counts, times, and properties with their types and frequent values', async () => {
  const of = session(at(40));
  const shop = await shopWith({
    sessions: [of],
    events: [
      ...eventsOf(of, 'open', [
        [40, { old: 1 }],
        [2, {}],
      ]),
      ...eventsOf(of, 'buy', [
        [20, { price: 4, plan: 'pro', gone: null }],
        [10, { price: 4, plan: 'free', tags: ['a'], deep: { a: 1 }, isNew: true }],
        [1, { price: '4', plan: 'pro' }],
      ]),
    ],
  });
  const { body } = await shop.get(CATALOGUE);
  const time = (daysAgo: number) => at(daysAgo).recorded_at;
  expect(body).toEqual({
    success: true,
    data: [
      {
        ...{ event_name: 'buy', event_count: 3, first_seen: time(20), last_seen: time(1) },
        properties: [
          { property_name: 'plan', share: 1, types: ['string'], values: ['pro', 'free'] },
          { property_name: 'price', share: 1, types: ['number', 'string'], values: [4, '4'] },
          { property_name: 'deep', share: 1 / 3, types: ['map'], values: [] },
          { property_name: 'isNew', share: 1 / 3, types: ['boolean'], values: [true] },
          { property_name: 'tags', share: 1 / 3, types: ['list'], values: [] },
        ],
      },
      { event_name: 'open', event_count: 1, first_seen: time(2), last_seen: time(2), properties: [] },
    ],
    pagination: { current: 1, next: null, total: 2 },
  });
});

test('a hundred of the newest events of a name tell its properties, also of a rare name', async () => {
  const of = session(at(29));
  const steady = Array.from(
    { length: 2000 },
    (_, nth) => [(nth + 1) / 80, { nth: nth < 100 ? 'new' : 'old' }] as const,
  );
  const shop = await shopWith({
    sessions: [of],
    events: [...eventsOf(of, 'view', steady), ...eventsOf(of, 'buy', [[28, { price: 1 }]])],
  });
  const { body } = await shop.get(CATALOGUE);
  expect(body.data).toMatchObject([
    { event_name: 'view', event_count: 2000, properties: [{ share: 1, values: ['new'] }] },
    { event_name: 'buy', event_count: 1, properties: [{ property_name: 'price', values: [1] }] },
  ]);
});

test('is as old as a minute, and then read again', async () => {
  const of = session(at(1));
  const soon = new Date(NOW + 1000).toISOString();
  const late = event(of, { ...at(1), uploaded_at: soon, event_name: 'late' });
  const shop = await shopWith({ sessions: [of], events: [event(of), late] });
  const names = async () => (await shop.get(CATALOGUE)).body.data.map((row) => row.event_name);
  expect(await names()).toEqual(['purchase']);
  await shop.clock.sleep(59_000);
  expect(await names()).toEqual(['purchase']);
  await shop.clock.sleep(1000);
  expect(await names()).toEqual(['late', 'purchase']);
});

test('needs a key of the app, and takes no parameters', async () => {
  const shop = await shopWith({});
  const other = await shop.get(CATALOGUE, { appid: 'other' });
  expect([other.status, other.body.error?.code]).toEqual([403, 'FORBIDDEN']);
  const more = await shop.get(CATALOGUE, { page: 1 });
  expect([more.status, more.body.error?.message]).toEqual([400, 'page: unknown field']);
});
