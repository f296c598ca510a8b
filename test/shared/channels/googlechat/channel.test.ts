import { expect, test } from 'vitest';
import {
  createGoogleChatChannel,
  googleChatMessage,
} from '../../../../shared/channels/googlechat/channel.ts';
import type { Message } from '../../../../shared/messages/message.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { NOW } from '../../../contracts/samples.ts';
import { listen } from '../../../fixtures/loopback-server.ts';
import { aMessage, anItem, LINKS } from '../../../fixtures/messages.ts';

const sectionsOf = (message: Message) =>
  googleChatMessage(message).cardsV2[0]?.card.sections.map(({ widgets }) => widgets) ?? [];

test('names are shown as they are, not as HTML, and pictures need https', () => {
  const picture = { url: 'http://127.0.0.1:4100/p/abc', alt: 'Purchases' };
  const item = anItem({ headline: '<b>now</b> & "x"', links: { ...LINKS, picture } });
  const text = JSON.stringify(sectionsOf(aMessage({ title: item.headline, items: [item] })));
  expect(text).toContain('&lt;b&gt;now&lt;/b&gt; &amp; &quot;x&quot;');
  expect(text).not.toContain('127.0.0.1');
});

const errorOf = (code: number, status: string) =>
  JSON.stringify({ error: { code, message: 'about xoxkey', status } });

test.each<[number, string, object]>([
  [200, '{"name":"spaces/A/messages/B.B"}', { kind: 'sent' }],
  [200, '{}', { permanent: false, reason: 'something other than Google Chat answered' }],
  [302, '', { permanent: false, reason: 'something other than Google Chat answered' }],
  [
    429,
    errorOf(429, 'RESOURCE_EXHAUSTED'),
    { permanent: false, reason: 'Google Chat is rate limiting (429)' },
  ],
  [
    404,
    errorOf(404, 'NOT_FOUND'),
    { permanent: true, reason: expect.stringMatching(/\(404, NOT_FOUND\): the webhook or its space/) },
  ],
  [
    400,
    errorOf(400, 'INVALID_ARGUMENT'),
    { permanent: true, reason: expect.stringMatching(/\(400, INVALID_ARGUMENT\): .*copy the whole URL/) },
  ],
  [403, '<html>xoxkey', { permanent: true, reason: expect.stringMatching(/\(403\): the webhook/) }],
])('the answer %d %s', async (status, body, result) => {
  await using server = await listen((_request, _body, response) => {
    response.writeHead(status).end(body);
  });
  const channel = createGoogleChatChannel({ webhookUrl: server.url, clock: new ManualClock(NOW) });
  const answered = await channel.send(aMessage());
  expect(answered).toMatchObject(result);
  expect(JSON.stringify(answered)).not.toContain('xoxkey');
});
