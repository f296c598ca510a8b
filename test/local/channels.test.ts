import { afterEach, beforeEach, expect, test } from 'vitest';
import { localChannels } from '../../local/channels.ts';
import { openSlackInbox, type SlackInbox } from '../../local/inbox/slack-inbox.ts';
import type { ChannelConfig } from '../../shared/alerting/channels.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { MONDAY } from '../fixtures/builders.ts';
import { type Folder, temporaryFolder } from '../fixtures/deltawatch.ts';
import { listen } from '../fixtures/loopback-server.ts';
import { aMessage } from '../fixtures/messages.ts';

const clock = new ManualClock(MONDAY);
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
  return localChannels({
    secrets: { find },
    inbox,
    address: 'http://127.0.0.1:4100',
    isLive: () => isLive,
    clock,
  });
}

test('a secret leads to the real channel, but not before it is live', async () => {
  const received: string[] = [];
  await using slack = await listen((_, body, response) => {
    received.push(body);
    response.end('ok');
  });
  for (const isLive of [false, true]) {
    const channel = await channelsOf({ 'slack-webhook': slack.url }, isLive)(SLACK);
    expect(await channel.send(aMessage())).toEqual({ kind: 'sent' });
  }
  expect({ real: received.length, inbox: inbox.list().length }).toEqual({ real: 1, inbox: 1 });
});

test.each<ChannelConfig>([
  SLACK,
  { pagerduty: { routing_key_secret: 'key' } },
  { webhook: { url_secret: 'url', signing_secret: 'only-this-one' } },
  { sns: { topic_arn: 'arn:aws:sns:eu-central-1:123456789012:alerts' } },
  { eventbridge: { bus: 'company' } },
])('without all of its secrets a channel is the inbox: %j', async (config) => {
  const channel = await channelsOf(
    { 'only-this-one': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    true,
  )(config);
  expect(await channel.send(aMessage())).toEqual({ kind: 'sent' });
  expect(inbox.list()).toHaveLength(1);
});
