import { expect, test } from 'vitest';
import type { MetricSource } from '../../../shared/readings/metric-source.ts';
import { createHttpMetricSource } from '../../../shared/source/metric-source.ts';
import { profileFrom } from '../../../workbench/starter/profile.ts';
import { closingSamples, event, KEY, NOW, session } from '../../functions/data-access/sample-app.ts';

const shopWith = closingSamples();

async function numbersFrom(answer: (path: string) => Response | undefined) {
  const of = session({ recorded_at: '2026-04-01T10:00:00Z' });
  const pay = (properties: object) => event(of, { event_name: 'pay', properties: { ...properties } });
  const shop = await shopWith({
    sessions: [of],
    events: [pay({ load_ms: 5 }), pay({ load_ms: 7, plan: 'pro' }), pay({})],
  });
  const source: MetricSource = createHttpMetricSource({
    ...{
      baseUrl: 'http://service.example',
      apiKey: KEY,
      clock: shop.clock,
      budget: { takeCalls: () => true },
    },
    fetch: async (url, init) => answer(new URL(url).pathname) ?? shop.app.request(url, init),
  });
  return (await profileFrom(source, { app: 'shop', zone: 'UTC', until: NOW })).numbers;
}

test('the numbers of a service come from its catalogue', async () => {
  const numbers = await numbersFrom(() => undefined);
  expect(numbers).toEqual([{ event: 'pay', property: 'load_ms', perDay: expect.closeTo(2 / 30, 9) }]);
});

test('a service without a catalogue has no numbers', async () => {
  expect(
    await numbersFrom((path) =>
      path.endsWith('/catalogue') ? new Response('{}', { status: 404 }) : undefined,
    ),
  ).toEqual([]);
});

test('a catalogue that cannot be read now is not taken for one without numbers', async () => {
  const busy = (path: string) =>
    path.endsWith('/catalogue') ? new Response('{}', { status: 503 }) : undefined;
  await expect(numbersFrom(busy)).rejects.toThrow('the data access service failed (503)');
});
