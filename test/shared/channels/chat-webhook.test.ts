import { expect, test } from 'vitest';
import { type ChatVendor, chatWebhook } from '../../../shared/channels/chat-webhook.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { ConfigError } from '../../../shared/runtime/errors.ts';
import { NOW } from '../../contracts/samples.ts';
import { listen } from '../../fixtures/loopback-server.ts';
import { aMessage } from '../../fixtures/messages.ts';

const clock = new ManualClock(NOW);
const vendor: ChatVendor = {
  name: 'Chat',
  layout: ({ title }) => ({ title }),
  verdictOn: ({ status }) => (status < 300 ? 'accepted' : { status }),
  adviceOn: () => '',
};

const sendTo = (webhookUrl: string, timeoutMs = 60_000) =>
  chatWebhook(vendor, { webhookUrl, clock, timeoutMs }).send(aMessage());

test('a connection cut within an answer is a temporary refusal, unless its status accepts the message', async () => {
  let status = 500;
  await using server = await listen((_request, _body, response) => {
    response.writeHead(status, { 'Content-Length': '100' }).write('half');
    setImmediate(() => response.destroy());
  });
  expect(await sendTo(server.url)).toMatchObject({ kind: 'refused', permanent: false });
  status = 200;
  expect(await sendTo(server.url)).toEqual({ kind: 'sent' });
});

test('an unreachable server and a timeout are temporary refusals with the reason', async () => {
  const silent = await listen(() => {});
  const refused = { kind: 'refused', permanent: false };
  expect(await sendTo(silent.url, 30)).toEqual({
    ...refused,
    reason: 'Chat did not answer within 30 ms',
  });
  await silent[Symbol.asyncDispose]();
  expect(await sendTo(silent.url)).toEqual({ ...refused, reason: 'Chat cannot be reached (ECONNREFUSED)' });
});

test('an invalid URL is refused without being quoted', () => {
  const build = () => chatWebhook(vendor, { webhookUrl: 'T0/xoxkey', clock });
  expect(build).toThrow(ConfigError);
  expect(build).not.toThrow(/xox/);
});
