import { expect, test } from 'vitest';
import { createTeamsChannel, teamsMessage } from '../../../../shared/channels/teams/channel.ts';
import type { Message } from '../../../../shared/messages/message.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { NOW } from '../../../contracts/samples.ts';
import { listen } from '../../../fixtures/loopback-server.ts';
import { aMessage, anItem, LINKS } from '../../../fixtures/messages.ts';

const bodyOf = (message: Message) => teamsMessage(message).attachments[0]?.content.body ?? [];

test('names are shown as they are, not as Markdown', () => {
  const headline = '[Click](https://evil.example) **now** <at>all</at> `x` ~~y~~';
  expect(bodyOf(aMessage({ title: headline }))[0]).toMatchObject({
    text: '🔴 \\[Click\\](https://evil.example) \\*\\*now\\*\\* \\<at\\>all\\</at\\> \\`x\\` \\~\\~y\\~\\~',
  });
});

test('a picture of this machine is left out: Teams loads images over https', () => {
  const links = { ...LINKS, picture: { url: 'http://127.0.0.1:4100/p/abc', alt: 'Purchases' } };
  expect(JSON.stringify(bodyOf(aMessage({ items: [anItem({ links })] })))).not.toContain('Image');
});

const deliveryFailed = (status: number) =>
  `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error ${status} with ContextId tcid=0,server=msgapi-1,cv=key.0..`;

test.each<[number, string, object]>([
  [202, '', { kind: 'sent' }],
  // A workflow that ends with a response of its own, and a connector.
  [200, '{"posted":true}', { kind: 'sent' }],
  [200, '1', { kind: 'sent' }],
  [200, deliveryFailed(429), { permanent: false, reason: 'Teams is rate limiting (429)' }],
  [
    200,
    'Webhook message delivery failed with error: xoxkey',
    { permanent: false, reason: 'Teams failed, and gives no status' },
  ],
  [
    200,
    'System.Net.Http.HttpRequestException: xoxkey',
    { permanent: false, reason: 'Teams failed, and gives no status' },
  ],
  [200, ' <html>', { permanent: false, reason: 'something other than Teams answered' }],
  [302, '', { permanent: false, reason: 'something other than Teams answered' }],
  [
    400,
    '{"error":{"code":"WorkflowTriggerIsNotEnabled","message":"xoxkey"}}',
    {
      permanent: true,
      reason: 'Teams refused the message (400, WorkflowTriggerIsNotEnabled): turn the workflow on',
    },
  ],
  [
    401,
    '<html>xoxkey',
    {
      permanent: true,
      reason:
        'Teams refused the message (401): the workflow was removed, or its address changed; store its new address in the secret',
    },
  ],
])('the answer %d %s', async (status, body, result) => {
  await using server = await listen((_request, _body, response) => {
    response.writeHead(status).end(body);
  });
  const channel = createTeamsChannel({ webhookUrl: server.url, clock: new ManualClock(NOW) });
  expect(await channel.send(aMessage())).toMatchObject(result);
});
