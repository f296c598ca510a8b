import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { webhookBodySchema } from '../../../../shared/channels/published-alert.ts';
import type { Message } from '../../../../shared/messages/message.ts';
import { type Clock, ManualClock, systemClock } from '../../../../shared/runtime/clock.ts';
import { ConfigError } from '../../../../shared/runtime/errors.ts';
import { SECRET, SIGNING_SECRET } from '../../../contracts/receivers.ts';
import { NOW } from '../../../contracts/samples.ts';
import { channelTo } from '../../../fixtures/channel-to.ts';
import { listen } from '../../../fixtures/loopback-server.ts';
import { aMessage, anItem } from '../../../fixtures/messages.ts';

const clock = new ManualClock(NOW);

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** Receivers on loopback need `isPrivate`. */
function hookAt(url: string, { isPrivate = true, key = SIGNING_SECRET, at = clock as Clock } = {}) {
  const config = { url_secret: 'url', signing_secret: 'key', allow_private: isPrivate };
  return channelTo({ webhook: config }, { secret: { url, key }, clock: at });
}

/** Posts to a receiver on loopback. */
async function post(
  messages: Message[],
  answer = (response: ServerResponse) => void response.end(),
  at: Clock = clock,
) {
  const received: Received[] = [];
  await using server = await listen(({ headers }, body, response) => {
    received.push({ headers, body });
    answer(response);
  });
  const channel = hookAt(`${server.url}/${SECRET}`, { at });
  const results = [];
  for (const message of messages) results.push(await channel.send(message));
  return { received, results };
}

test('the signature verifies only with the key and the unchanged body', async () => {
  const { received } = await post([aMessage()], undefined, systemClock);
  const { headers = {}, body = '' } = received[0] ?? {};
  const signed = z.record(z.string(), z.string()).parse(headers);
  const verified = new Webhook(SIGNING_SECRET).verify(body, signed);
  expect(webhookBodySchema.parse(verified)).toMatchObject({ version: 1, title: 'Checkout dropped', more: 0 });
  expect(() => new Webhook(SIGNING_SECRET).verify(`${body} `, signed)).toThrow();
  expect(() => new Webhook('whsec_b3RoZXI=').verify(body, signed)).toThrow();
});

test('the message id depends on the set of alerts, not on their order', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map((key) => anItem({ key }));
  if (!a || !b || !c) throw new Error('three items');
  const { received } = await post([[a, b], [b, a], [a, b, c], [a]].map((items) => aMessage({ items })));
  const [first, again, ...others] = received.map(({ headers }) => headers['webhook-id']);
  expect(first).toMatch(/^msg_[0-9a-f]{16}$/);
  expect(again).toBe(first);
  expect(new Set([first, ...others]).size).toBe(3);
});

test.each([
  ['of 600 items', {}, 500],
  [
    'of 600 large items',
    { facts: Array.from({ length: 40 }, () => ({ label: 'a', text: 'x'.repeat(1000) })) },
    25,
  ],
])('a body %s states the number of omitted items', async (_name, overrides, shown) => {
  const items = Array.from({ length: 600 }, (_, i) => anItem({ key: `${i}`, ...overrides }));
  const { received } = await post([aMessage({ items })]);
  const body = webhookBodySchema.parse(JSON.parse(received[0]?.body ?? ''));
  expect([body.items.length, body.more]).toEqual([shown, 600 - shown]);
  expect(received[0]?.body.length).toBeLessThan(1024 * 1024 + 10_000);
});

describe('the reply of the receiver', () => {
  test.each([
    { status: 200, result: { kind: 'sent' } },
    { status: 202, result: { kind: 'sent' } },
    { status: 301, result: { permanent: true, reason: expect.stringContaining('a redirect (301)') } },
    { status: 400, result: { permanent: true } },
    { status: 408, result: { permanent: false } },
    { status: 410, result: { permanent: true, reason: expect.stringContaining('gone') } },
    { status: 425, result: { permanent: false } },
    { status: 429, result: { permanent: false, retryAfterMs: 5000 } },
    { status: 503, result: { permanent: false, retryAfterMs: 5000 } },
  ])('$status', async ({ status, result }) => {
    const { received, results } = await post([aMessage()], (response) => {
      response.writeHead(status, { Location: '/elsewhere', 'Retry-After': '5' }).end();
    });
    expect(results).toMatchObject([result]);
    expect(received).toHaveLength(1);
  });

  test('is not read beyond its status', async () => {
    const closed = Promise.withResolvers<void>();
    await using server = await listen((_request, _body, response) => {
      response.on('close', closed.resolve);
      response.write('x'.repeat(1_000_000));
    });
    const result = await hookAt(server.url).send(aMessage());
    expect(result).toEqual({ kind: 'sent' });
    await closed.promise;
  });
});

describe('without allow_private', () => {
  const sendTo = (url: string) => hookAt(url, { isPrivate: false }).send(aMessage());

  test.each([
    ...['127.0.0.1', 'localhost', '10.1.2.3', '192.168.0.1', '169.254.169.254', '0.0.0.0', '[::1]'],
    ...[
      '[fe80::1]',
      '[fd00::1]',
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '2130706433',
      '0x7f.1',
      '100.64.0.1',
    ],
  ])('refuses to connect to %s', async (host) => {
    await using server = await listen(() => {});
    const { port } = new URL(server.url);
    const result = await sendTo(`https://${host}:${port}/${SECRET}`);
    expect(result).toEqual({
      kind: 'refused',
      permanent: true,
      reason: expect.stringContaining('resolves to a private address'),
    });
    expect(server.connections()).toBe(0);
  });

  test.each(['http://example.com/xoxkey', 'ftp://example.com/xoxkey', 'xoxkey'])(
    'rejects the URL %s',
    async (url) => {
      const error = await sendTo(url).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigError);
      expect(String(error)).not.toContain('xoxkey');
    },
  );
});

test.each(['', 'whsec_', 'whsec_xoxkey!', 'xoxkey?', 'whsec_xoxkeyxoxkey', `${'xoxkey'.repeat(8)}!`])(
  'the signing key %j is refused without being quoted',
  async (key) => {
    const sent = hookAt('https://example.com', { key }).send(aMessage());
    const error = await sent.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).not.toContain('xoxkey');
  },
);
