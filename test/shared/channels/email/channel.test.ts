import { expect, test } from 'vitest';
import { createEmailChannel } from '../../../../shared/channels/email/channel.ts';
import { smtpMailer } from '../../../../shared/channels/email/smtp.ts';
import type { ItemLinks, Message } from '../../../../shared/messages/message.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { NOW } from '../../../contracts/samples.ts';
import { startSmtpServer } from '../../../contracts/smtp-server.ts';
import { aMessage, anItem } from '../../../fixtures/messages.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1');
const PICTURE = 'https://dw.example.com/p/token';
const LINKS: ItemLinks = {
  open: 'https://dw.example.com/alerts/1?a=1&b=2',
  picture: { url: PICTURE, alt: 'Purchases, the last "4" weeks' },
  answers: [{ answer: 'acknowledge', label: 'Acknowledge', url: 'https://dw.example.com/a/token' }],
};

/** Sends these messages to a real SMTP server on loopback. */
async function mailed(messages: Message[], fetchPicture: () => Response = () => new Response(PNG)) {
  const warnings: unknown[] = [];
  await using server = await startSmtpServer();
  const logger = { warn: (_: string, about?: object) => void warnings.push(about) };
  const channel = createEmailChannel({
    from: 'alerts@example.com',
    to: ['team@example.com'],
    mailer: smtpMailer({ url: `smtp://127.0.0.1:${server.port}`, logger }),
    clock: new ManualClock(NOW),
    logger,
    fetch: async () => fetchPicture(),
  });
  for (const message of messages) expect(await channel.send(message)).toEqual({ kind: 'sent' });
  return { arrived: server.arrived, mails: server.arrived.map(({ mail }) => mail), warnings };
}

test('a mail has the headline as its subject, the text twice, and the picture inside', async () => {
  const { mails, arrived } = await mailed([aMessage({ items: [anItem({ links: LINKS })] })]);
  const [mail] = mails;
  expect(arrived[0]?.to).toEqual(['team@example.com']);
  expect(mail).toMatchObject({
    subject: 'Checkout dropped',
    from: { name: 'Deltawatch', address: 'alerts@example.com' },
    to: [{ address: 'team@example.com' }],
    date: new Date(NOW).toISOString(),
  });
  const headers = new Map(mail?.headers.map(({ key, value }) => [key, value]));
  expect(Object.fromEntries(headers)).toMatchObject({
    'auto-submitted': 'auto-generated',
    'x-auto-response-suppress': 'All',
    'list-id': '"Deltawatch" <deltawatch.example.com>',
  });
  for (const body of [mail?.text, mail?.html?.replaceAll('&amp;', '&')])
    for (const part of ['580 events', 'wiki.example.com/checkout', LINKS.open, LINKS.answers[0]?.url ?? ''])
      expect(body).toContain(part);
  const [picture] = mail?.attachments ?? [];
  expect(picture).toMatchObject({ mimeType: 'image/png', disposition: 'inline' });
  expect(Buffer.from(picture?.content as ArrayBuffer)).toEqual(PNG);
  expect(mail?.html).toContain(`<img src="cid:${picture?.contentId?.slice(1, -1)}"`);
  expect(mail?.html).toContain('alt="Purchases, the last &quot;4&quot; weeks"');
});

test('all mail about one alert is in one thread, and mail about another is not', async () => {
  const fired = anItem({ segment: 'Germany' });
  const recovered = anItem({ key: 'later', segment: 'Germany', transition: 'recovered' });
  const other = anItem({ key: 'other', segment: 'France' });
  const { mails } = await mailed(
    [[fired], [recovered], [other], [fired, other]].map((items) => aMessage({ items })),
  );
  const [first, end, elsewhere, digest] = mails;
  expect(first?.inReplyTo).toMatch(/^<alert\.[0-9a-f]{16}@example\.com>$/);
  expect(end).toMatchObject({ inReplyTo: first?.inReplyTo, references: first?.references });
  expect(elsewhere?.inReplyTo).not.toBe(first?.inReplyTo);
  expect(digest?.inReplyTo).toBeUndefined();
  expect(new Set(mails.map(({ messageId }) => messageId)).size).toBe(4);
});

test('a title adds no header and no recipient', async () => {
  const title = 'Down\r\nBcc: evil@example.com\r\n\r\n<h1>Hello</h1>';
  const { arrived } = await mailed([
    aMessage({ title, items: [anItem({ headline: title, segment: title })] }),
  ]);
  expect(arrived[0]?.to).toEqual(['team@example.com']);
  expect(arrived[0]?.mail.bcc ?? []).toEqual([]);
  expect(arrived[0]?.mail.subject).toBe('Down Bcc: evil@example.com <h1>Hello</h1>');
  expect(arrived[0]?.mail.html).not.toContain('<h1>Hello');
});

test('markup and scripts are text, and only web addresses are links', async () => {
  const hostile = '"><script>alert(1)</script><a href=x>';
  const links = { ...LINKS, open: 'javascript:alert(1)', picture: { url: PICTURE, alt: hostile } };
  const item = anItem({
    headline: hostile,
    summary: hostile,
    facts: [{ label: hostile, text: hostile }],
    runbook: 'javascript:alert(2)',
    links,
  });
  const { mails } = await mailed([
    aMessage({ title: hostile, items: [item] }),
    aMessage({ items: [item, item] }),
  ]);
  for (const { html = '' } of mails) {
    expect(html).not.toMatch(/<script|<a href=x|href="javascript/);
    expect(html).toContain('&lt;script&gt;');
  }
});

test.each<[string, () => Response]>([
  ['refuses', () => new Response(null, { status: 500 })],
  ['sends something else', () => new Response('<html>')],
  ['sends too much', () => new Response(Buffer.concat([PNG, Buffer.alloc(1024 * 1024)]))],
  [
    'fails',
    () => {
      throw new TypeError('fetch failed');
    },
  ],
])('a mail is sent without its picture, with a warning, if the address %s', async (_, answer) => {
  const { mails, warnings } = await mailed([aMessage({ items: [anItem({ links: LINKS })] })], answer);
  expect(mails[0]?.attachments).toEqual([]);
  expect(mails[0]?.html).not.toContain('<img');
  expect(warnings).toEqual([{ missing: 1 }]);
});

test('a digest shows ten alerts, three with pictures, and counts the rest', async () => {
  const items = Array.from({ length: 12 }, (_, i) =>
    anItem({
      key: `${i}`,
      ruleId: `rule-${i}`,
      headline: `Alert ${i} fired`,
      links: { ...LINKS, picture: { url: `${PICTURE}${i}`, alt: 'x' } },
    }),
  );
  const { mails } = await mailed([aMessage({ items, overviewUrl: 'https://dw.example.com/' })]);
  const { html = '', text = '', attachments = [] } = mails[0] ?? {};
  for (const body of [html, text]) {
    expect(body.match(/Alert \d+ fired/g)).toHaveLength(10);
    expect(body).toContain('+2 more');
    expect(body).toContain('https://dw.example.com/');
  }
  expect(attachments).toHaveLength(3);
});
