import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { type MessageItem, messageOf } from '../../../../shared/messages/message.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { ConfigError } from '../../../../shared/runtime/errors.ts';
import { HOUR_MS } from '../../../../shared/units/durations.ts';
import { pagerDutyEventSchema, ROUTING_KEY } from '../../../contracts/receivers.ts';
import { NOW } from '../../../contracts/samples.ts';
import { channelTo } from '../../../fixtures/channel-to.ts';
import { listen } from '../../../fixtures/loopback-server.ts';
import { aMessage, anItem } from '../../../fixtures/messages.ts';

type Event = z.infer<typeof pagerDutyEventSchema>;
interface Reply {
  status: number;
  body?: string;
}

/** Sends the items to a PagerDuty that answers with `replyTo`. By default it accepts all events. */
async function page(
  items: MessageItem[],
  options: { replyTo?: (event: Event) => Reply; clock?: ManualClock; at_once?: number } = {},
) {
  const { replyTo = (): Reply => ({ status: 202 }), clock = new ManualClock(NOW), ...rest } = options;
  const events: Event[] = [];
  await using server = await listen((_request, body, response) => {
    const event = pagerDutyEventSchema.parse(JSON.parse(body));
    events.push(event);
    const { status, body: text } = replyTo(event);
    response.writeHead(status).end(text);
  });
  const config = { pagerduty: { routing_key_secret: 'key', ...rest } };
  const channel = channelTo(config, { secret: ROUTING_KEY, clock, to: server });
  const result = await channel.send(messageOf(items));
  return {
    result,
    events,
    notified: events.map(({ event_action, dedup_key }) => `${event_action} ${dedup_key}`),
  };
}

const rule = (ruleId: string, overrides: Partial<MessageItem> = {}) =>
  anItem({ ruleId, key: `${ruleId} ${overrides.transition ?? 'fired'}`, ...overrides });

test('a fired alert triggers an incident with summary, figures and links', async () => {
  const item = anItem({
    segment: 'Germany',
    links: {
      open: 'https://deltawatch.example/a',
      picture: { url: 'https://deltawatch.example/a.png', alt: 'a fall' },
      answers: [{ answer: 'acknowledge', label: 'Acknowledge', url: 'https://deltawatch.example/ack' }],
    },
  });
  const { events } = await page([item]);
  expect(events).toEqual([
    {
      routing_key: ROUTING_KEY,
      event_action: 'trigger',
      dedup_key: 'checkout-drop#Germany',
      client: 'Deltawatch',
      client_url: 'https://deltawatch.example/a',
      payload: {
        summary: 'checkout_completed fell by 42%',
        source: 'shop',
        severity: 'critical',
        timestamp: '2026-03-03T01:00:00.000Z',
        component: 'checkout-drop',
        group: 'shop',
        class: 'fired',
        custom_details: {
          Now: '580 events',
          Before: '1,000 events',
          Segment: 'Germany',
          'What to do': 'https://wiki.example.com/checkout',
          figures: { current: 580, baseline: 1000, difference: -420, change: -0.42, unit: 'events' },
        },
      },
      links: [
        { href: 'https://deltawatch.example/a', text: 'Open the alert' },
        { href: 'https://wiki.example.com/checkout', text: 'What to do' },
        { href: 'https://deltawatch.example/ack', text: 'Acknowledge' },
      ],
      images: [
        { src: 'https://deltawatch.example/a.png', href: 'https://deltawatch.example/a', alt: 'a fall' },
      ],
    },
  ]);
});

test('pictures without https and invalid links are left out', async () => {
  const links = { open: 'not a link', picture: { url: 'http://127.0.0.1/a.png', alt: '' }, answers: [] };
  const { result, events } = await page([anItem({ links, runbook: 'call the shop' })]);
  expect(result).toEqual({ kind: 'sent' });
  expect(events).toMatchObject([{ links: [], images: [] }]);
});

describe('several items', () => {
  test('are sent by severity, and those of one incident in order', async () => {
    const { notified } = await page([
      rule('a', { transition: 'fired', at: NOW, turn: 1, window: { startAt: NOW - HOUR_MS, endAt: NOW } }),
      rule('b'),
      // The rule has changed, and it fires again in the same run.
      rule('a', { transition: 'restarted', at: NOW, turn: 0, window: null }),
    ]);
    expect(notified).toEqual(['resolve a#', 'trigger a#', 'trigger b#']);
  });

  test('are at_once events, 20 by default; the rest stays pending', async () => {
    const items = Array.from({ length: 21 }, (_, i) => rule(`r${i}`));
    const quiet = rule('quiet', { transition: 'reminded' });
    const { events, result } = await page([...items, quiet]);
    expect(events).toHaveLength(20);
    const sentKeys = [quiet, ...items.slice(0, 20)].map(({ key }) => key);
    expect(result).toMatchObject({ kind: 'refused', permanent: false, sentKeys });
    expect((await page(items, { at_once: 2 })).events).toHaveLength(2);
  });

  test('stop at the first refusal that affects all', async () => {
    const replyTo = ({ dedup_key }: Event) => ({ status: dedup_key === 'b#' ? 503 : 202 });
    const { notified, result } = await page(
      ['a', 'b', 'c'].map((id) => rule(id)),
      { replyTo },
    );
    expect(notified).toEqual(['trigger a#', 'trigger b#']);
    expect(result).toMatchObject({ permanent: false, sentKeys: ['a fired'] });
  });

  test('continue after an invalid event', async () => {
    const replyTo = ({ dedup_key }: Event) =>
      dedup_key === 'a#' ? { status: 400, body: '{"status":"invalid event"}' } : { status: 202 };
    const { result } = await page(
      ['a', 'b'].map((id) => rule(id)),
      { replyTo },
    );
    expect(result).toMatchObject({ permanent: true, sentKeys: ['b fired'] });
  });

  test('stop when the time limit is reached', async () => {
    const clock = new ManualClock(NOW);
    const replyTo = () => {
      clock.advanceTo(clock.now() + 10_000);
      return { status: 202 };
    };
    const { result } = await page(
      ['a', 'b', 'c'].map((id) => rule(id)),
      { clock, replyTo },
    );
    expect(result).toMatchObject({ permanent: false, sentKeys: ['a fired', 'b fired'] });
  });

  test('are retryable after the time limit, although one was invalid', async () => {
    const clock = new ManualClock(NOW);
    const replyTo = () => {
      clock.advanceTo(clock.now() + 20_000);
      return { status: 400, body: 'invalid event' };
    };
    const { result } = await page(
      ['a', 'b'].map((id) => rule(id)),
      { clock, replyTo },
    );
    expect(result).toMatchObject({ permanent: false, sentKeys: [] });
  });
});

test.each([
  { reply: { status: 200, body: '<html>Sign in' }, reason: 'something other than PagerDuty answered' },
  { reply: { status: 302 }, reason: 'something other than PagerDuty answered' },
  { reply: { status: 400, body: 'routing_key' }, reason: 'check its secret', permanent: true },
  { reply: { status: 400, body: 'no' }, reason: 'bug in Deltawatch', permanent: true },
  { reply: { status: 403 }, reason: 'check its secret', permanent: true },
  { reply: { status: 410 }, reason: 'refused the message (410)', permanent: true },
  { reply: { status: 408 }, reason: 'failed (408)' },
  { reply: { status: 502 }, reason: 'failed (502)' },
])(
  'the reply $reply.status $reply.body becomes a refusal with a reason',
  async ({ reply, reason, permanent = false }) => {
    const { result } = await page([anItem()], { replyTo: () => reply });
    expect(result).toMatchObject({ kind: 'refused', permanent, reason: expect.stringContaining(reason) });
  },
);

test('an invalid routing key is refused without being quoted', async () => {
  const channel = channelTo({ pagerduty: { routing_key_secret: 'key' } }, { secret: 'xoxkey', to: fetch });
  const error = await channel.send(aMessage()).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).not.toContain('xoxkey');
});
