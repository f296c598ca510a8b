import { expect, test } from 'vitest';
import { createEventBridgeChannel } from '../../../../shared/channels/eventbridge/channel.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { type EventBridgeServer, startEventBridgeServer } from '../../../contracts/eventbridge-server.ts';
import { NOW } from '../../../contracts/samples.ts';
import { aMessage, anItem } from '../../../fixtures/messages.ts';

/** Sends `count` items with the keys "0", "1" and so on, to a bus that `prepare` has set up. */
async function put(count: number, prepare: (bus: EventBridgeServer) => void = () => {}) {
  await using bus = await startEventBridgeServer();
  prepare(bus);
  const items = Array.from({ length: count }, (_, i) => anItem({ key: `${i}` }));
  const clock = new ManualClock(NOW);
  const result = await createEventBridgeChannel(bus.client, 'alerts', clock).send(aMessage({ items }));
  return {
    result,
    events: bus.events,
    keys: bus.events.map(({ detail }) => detail.key),
    sizes: bus.batchSizes,
  };
}

test('an alert is sent as one event with figures, without answer links', async () => {
  await using bus = await startEventBridgeServer();
  const open = 'https://deltawatch.example/a';
  const answers = [
    { answer: 'acknowledge' as const, label: 'x', url: 'https://deltawatch.example/ack?t=secret' },
  ];
  const item = anItem({
    segment: 'Germany',
    links: { open, picture: { url: `${open}.png`, alt: '' }, answers },
  });
  const channel = createEventBridgeChannel(bus.client, 'alerts', new ManualClock(NOW));
  expect(await channel.send(aMessage({ items: [item] }))).toEqual({ kind: 'sent' });
  expect(bus.events).toEqual([
    {
      bus: 'alerts',
      type: 'Alert fired',
      detail: {
        version: 1,
        key: 'checkout-drop##2026-03-03T00:00:00.000Z#fired',
        ruleId: 'checkout-drop',
        segment: 'Germany',
        app: 'shop',
        transition: 'fired',
        severity: 'critical',
        headline: 'checkout_completed fell by 42%',
        figures: { current: 580, baseline: 1000, difference: -420, change: -0.42, unit: 'events' },
        window: { start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' },
        since: '2026-03-03T01:00:00.000Z',
        links: { open },
      },
    },
  ]);
});

test('an event that is throttled or fails stays pending, accepted ones do not', async () => {
  const { result, keys } = await put(15, (bus) => {
    bus.failureOf = ({ key }) => ({ '3': 'InternalFailure', '12': 'ThrottlingException' })[key];
  });
  expect(result).toMatchObject({ kind: 'refused', permanent: false, sentKeys: keys });
  expect(keys).toHaveLength(13);
});

test('a rejected event is not retried and does not block others', async () => {
  const { result, keys } = await put(15, (bus) => {
    bus.failureOf = ({ key }) => (key === '3' ? 'MalformedDetail' : undefined);
  });
  expect(result).toMatchObject({
    permanent: true,
    reason: 'EventBridge refused an event: MalformedDetail',
    sentKeys: keys,
  });
  expect(keys).toHaveLength(14);
});

test('a refusal between two calls reports the accepted events', async () => {
  const { result } = await put(20, (bus) => {
    bus.failureOf = ({ key }) => {
      if (key === '9') bus.troubles.push({ status: 403, code: 'AccessDeniedException' });
      return undefined;
    };
  });
  const sentKeys = Array.from({ length: 10 }, (_, i) => `${i}`);
  expect(result).toEqual({
    kind: 'refused',
    permanent: true,
    reason: 'EventBridge refused: AccessDeniedException',
    sentKeys,
  });
});
