import { afterEach, beforeEach, expect, test } from 'vitest';
import { localChannels } from '../../local/channels.ts';
import { openSlackInbox, type SlackInbox } from '../../local/inbox/slack-inbox.ts';
import type { ChannelConfig } from '../../shared/channels/kinds.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { startSmtpServer } from '../contracts/smtp-server.ts';
import { MONDAY } from '../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../fixtures/deltawatch.ts';
import { listen } from '../fixtures/loopback-server.ts';
import { aMessage } from '../fixtures/messages.ts';

const clock = new ManualClock(MONDAY);
const MAIL = { to: ['team@example.com'], from: 'alerts@example.com' };
const SLACK: ChannelConfig = { slack: { webhook_secret: 'slack-webhook' } };

let folder: Folder;
let inbox: SlackInbox;
beforeEach(async () => {
  folder = await temporaryFolder();
  inbox = openSlackInbox({ file: `${folder.path}/inbox.ndjson`, clock });
});
afterEach(async () => {
  inbox.close();
  await folder[Symbol.asyncDispose]();
});

function channelsOf(secrets: Record<string, string>, isLive: boolean) {
  const find = async (name: string) => secrets[name];
  return localChannels({ secrets: { find }, inbox, isLive: () => isLive, clock });
}

test('a secret of each stage has a name without the stage on this machine', async () => {
  const received: string[] = [];
  await using slack = await listen((_, body, response) => {
    received.push(body);
    response.end('ok');
  });
  const config = { slack: { webhook_secret: 'deltawatch/$STAGE/slack-webhook' } };
  const channel = await channelsOf({ 'slack-webhook': slack.url }, true)(config, 'team');
  expect(await channel.send(aMessage())).toEqual({ kind: 'sent' });
  const kept = await channelsOf({}, true)(config, 'team');
  expect(await kept.send(aMessage())).toEqual({
    ...{ kind: 'kept', reason: 'no secret "slack-webhook" on this machine' },
  });
});

test('a channel with its secret sends, but only when the system is live', async () => {
  const received: string[] = [];
  await using slack = await listen((_, body, response) => {
    received.push(body);
    response.end('ok');
  });
  const outcomes = [
    {
      isLive: false,
      result: { kind: 'kept', reason: 'it is about the past, and only live messages are sent' },
    },
    { isLive: true, result: { kind: 'sent' } },
  ];
  for (const { isLive, result } of outcomes) {
    const channel = await channelsOf({ 'slack-webhook': slack.url }, isLive)(SLACK, 'team');
    expect(await channel.send(aMessage())).toEqual(result);
  }
  expect({ real: received.length, inbox: inbox.list().length }).toEqual({ real: 1, inbox: 1 });
});

test.each<[ChannelConfig, string]>([
  [SLACK, 'no secret "slack-webhook" on this machine'],
  [
    { slack: { bot_token_secret: 'slack-bot', channel: 'C0123456789' } },
    'no secret "slack-bot" on this machine',
  ],
  [{ pagerduty: { routing_key_secret: 'key' } }, 'no secret "key" on this machine'],
  [{ webhook: { url_secret: 'url', signing_secret: 'only-this-one' } }, 'no secret "url" on this machine'],
  [
    { sns: { topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alerts' } },
    'channels in AWS are not used on this machine',
  ],
  [{ eventbridge: { bus: 'company' } }, 'channels in AWS are not used on this machine'],
  [{ teams: { webhook_secret: 'teams-url' } }, 'no secret "teams-url" on this machine'],
  [{ discord: { webhook_secret: 'discord-url' } }, 'no secret "discord-url" on this machine'],
  [{ email: MAIL }, 'channels in AWS are not used on this machine'],
  [{ email: { ...MAIL, smtp_secret: 'smtp' } }, 'no secret "smtp" on this machine'],
])('a channel without all its secrets keeps messages in the inbox: %j', async (config, reason) => {
  const channel = await channelsOf({ 'only-this-one': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, true)(
    config,
    'checkout-pager',
  );
  expect(await channel.send(aMessage())).toEqual({ kind: 'kept', reason });
  expect(inbox.list().map(({ channel: name }) => name)).toEqual(['checkout-pager']);
});

test('mail is really sent if this machine has the SMTP secret', async () => {
  await using server = await startSmtpServer();
  const config = { email: { ...MAIL, smtp_secret: 'deltawatch/$STAGE/smtp' } };
  const channel = await channelsOf({ smtp: `smtp://127.0.0.1:${server.port}` }, true)(config, 'team');
  expect(await channel.send(aMessage())).toEqual({ kind: 'sent' });
  expect(server.arrived.map(({ to, mail }) => [to, mail.subject])).toEqual([[MAIL.to, 'Checkout dropped']]);
});
