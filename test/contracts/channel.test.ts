import { describe, expect, test } from 'vitest';
import { createSlackChannel } from '../../shared/adapters/slack-channel.ts';
import type { Channel } from '../../shared/alerting/ports.ts';
import { createFakeChannel } from '../fakes/fake-channel.ts';
import { listen } from '../fixtures/loopback-server.ts';
import { aMessage } from '../fixtures/messages.ts';

type Trouble = 'busy' | 'down' | 'gone';

interface Other extends AsyncDisposable {
  channel: Channel;
  /** Makes the other side answer the next message so. */
  next(trouble: Trouble): void;
  /** The texts that arrived, in order. */
  received(): string[];
}

const CHANNELS: { name: string; open: () => Promise<Other> }[] = [
  { name: 'the fake', open: openFake },
  { name: 'Slack over HTTP', open: openSlack },
];

describe.each(CHANNELS)('a channel: $name', ({ open }) => {
  test('delivers a message once', async () => {
    await using other = await open();
    expect(await other.channel.send(aMessage({ text: 'first' }))).toEqual({ kind: 'sent' });
    expect(await other.channel.send(aMessage({ text: 'second' }))).toEqual({ kind: 'sent' });
    expect(other.received()).toEqual(['first', 'second']);
  });

  test.each<{ trouble: Trouble; result: object }>([
    { trouble: 'busy', result: { permanent: false, retryAfterMs: 30_000 } },
    { trouble: 'down', result: { permanent: false } },
    { trouble: 'gone', result: { permanent: true } },
  ])('says how it was refused: $trouble', async ({ trouble, result }) => {
    await using other = await open();
    other.next(trouble);
    const refusal = await other.channel.send(aMessage());
    expect(refusal).toEqual({ kind: 'refused', reason: expect.stringMatching(/\w+/), ...result });
    expect(other.received()).toEqual([]);
  });

  test('sends again after a refusal', async () => {
    await using other = await open();
    other.next('down');
    await other.channel.send(aMessage({ text: 'late' }));
    expect(await other.channel.send(aMessage({ text: 'late' }))).toEqual({ kind: 'sent' });
    expect(other.received()).toEqual(['late']);
  });
});

async function openFake(): Promise<Other> {
  const channel = createFakeChannel();
  const refusals = {
    busy: { permanent: false, retryAfterMs: 30_000 },
    down: { permanent: false },
    gone: { permanent: true },
  };
  return {
    channel,
    next: (trouble) => channel.refuseNext({ kind: 'refused', reason: trouble, ...refusals[trouble] }),
    received: () => channel.sent.map((message) => message.text),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function openSlack(): Promise<Other> {
  const received: string[] = [];
  const troubles: Trouble[] = [];
  const answers = {
    busy: { status: 429, headers: { 'Retry-After': '30' }, body: 'rate_limited' },
    down: { status: 500, headers: {}, body: 'rollup_error' },
    gone: { status: 404, headers: {}, body: 'no_service' },
  };
  const server = await listen((_request, body, response) => {
    const trouble = troubles.shift();
    if (!trouble) received.push(JSON.parse(body).text);
    const answer = trouble ? answers[trouble] : { status: 200, headers: {}, body: 'ok' };
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  return {
    channel: createSlackChannel({ webhookUrl: `${server.url}/services/T0/B0/secret` }),
    next: (trouble) => void troubles.push(trouble),
    received: () => received,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
