import { expect, test } from 'vitest';
import { googleChatMessage } from '../../../../shared/channels/googlechat/cards.ts';
import { createGoogleChatChannel } from '../../../../shared/channels/googlechat/channel.ts';
import type { Message } from '../../../../shared/messages/message.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { googleChatSchema } from '../../../contracts/chat-receivers.ts';
import { NOW } from '../../../contracts/samples.ts';
import { listen } from '../../../fixtures/loopback-server.ts';
import { aMessage, anItem } from '../../../fixtures/messages.ts';

const links = {
  open: 'https://dw.example.com/alerts/1?a=1&b=2',
  picture: { url: 'https://dw.example.com/p/abc', alt: 'Purchases' },
  answers: [
    { answer: 'acknowledge' as const, label: 'Acknowledge', url: 'https://dw.example.com/a/acknowledge' },
  ],
};

const sectionsOf = (message: Message) =>
  googleChatMessage(message).cardsV2[0]?.card.sections.map(({ widgets }) => widgets) ?? [];

test('one alert is a card with headline, facts, picture, runbook, small print and buttons', () => {
  const facts = [
    { label: 'Now', text: '580 events' },
    { label: 'Since', text: 'Mon', isSmall: true as const },
  ];
  const message = aMessage({ items: [anItem({ facts, links })] });
  expect(googleChatMessage(message)).toMatchObject({
    fallbackText: '🔴 Checkout dropped',
    cardsV2: [{ cardId: 'alerts', card: { header: { title: '🔴 Checkout dropped' } } }],
  });
  expect(sectionsOf(message)).toEqual([
    [
      {
        textParagraph: {
          text: '<b><font color="#c62828">🔴 checkout_completed fell by 42%</font></b>',
        },
      },
      { decoratedText: { topLabel: 'Now', text: '580 events', wrapText: true } },
      { image: { imageUrl: 'https://dw.example.com/p/abc', altText: 'Purchases' } },
      { decoratedText: { topLabel: 'Since', text: 'Mon', wrapText: true } },
      {
        textParagraph: {
          text: '<b>What to do:</b> <a href="https://wiki.example.com/checkout">the runbook</a>',
        },
      },
      {
        textParagraph: { text: '<font color="#6b7280">critical · rule checkout-drop · app shop</font>' },
      },
      {
        buttonList: {
          buttons: [
            { text: 'Open', onClick: { openLink: { url: 'https://dw.example.com/alerts/1?a=1&b=2' } } },
            { text: 'Acknowledge', onClick: { openLink: { url: 'https://dw.example.com/a/acknowledge' } } },
          ],
        },
      },
    ],
  ]);
});

test('a digest has a section for each of ten alerts, three with pictures, and one for the rest', () => {
  const items = Array.from({ length: 12 }, (_, i) => anItem({ key: `${i}`, headline: `Alert ${i}`, links }));
  const sections = sectionsOf(aMessage({ items, overviewUrl: 'https://dw.example.com/' }));
  expect(sections).toHaveLength(11);
  expect(sections.flat().filter((widget) => 'image' in widget)).toHaveLength(3);
  expect(JSON.stringify(sections[9])).toContain('>🔴 Alert 9</font></b><br>');
  expect(sections[9]).toMatchObject([
    { textParagraph: { text: expect.stringContaining('a=1&amp;b=2">Open</a>') } },
  ]);
  expect(sections[10]).toEqual([
    {
      textParagraph: {
        text: '<font color="#6b7280">+2 more · <a href="https://dw.example.com/">All open alerts</a></font>',
      },
    },
  ]);
});

test.each([
  ['long', 60, '字'.repeat(700)],
  ['many', 120, 'text'],
])('a card with facts that are too %s loses the last and then says how many', (_, count, text) => {
  const facts = Array.from({ length: count }, (_each, i) => ({ label: `Fact ${i}`, text }));
  const message = aMessage({ items: [anItem({ facts, links })] });
  const card = googleChatMessage(message);
  expect(googleChatSchema.safeParse(card).error).toBeUndefined();
  expect(Buffer.byteLength(JSON.stringify(card))).toBeLessThanOrEqual(32_000);
  const shown = sectionsOf(message)
    .flat()
    .filter((widget) => 'decoratedText' in widget).length;
  expect(shown).toBeGreaterThan(3);
  expect(JSON.stringify(card)).toContain(`+${count - shown} more`);
});

test('names are shown as they are, not as HTML, and pictures need https', () => {
  const picture = { url: 'http://127.0.0.1:4100/p/abc', alt: 'Purchases' };
  const item = anItem({ headline: '<b>now</b> & "x"', links: { ...links, picture } });
  const text = JSON.stringify(sectionsOf(aMessage({ items: [item] })));
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
  [503, errorOf(503, 'UNAVAILABLE'), { permanent: false, reason: 'Google Chat failed (503, UNAVAILABLE)' }],
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
