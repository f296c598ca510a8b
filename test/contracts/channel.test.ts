import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../shared/messages/message.ts';
import { aMessage, anItem } from '../fixtures/messages.ts';
import { openDiscord, openGoogleChat, openMattermost, openTeams } from './chat-receivers.ts';
import { openSes, openSmtp } from './mail-receivers.ts';
import { openIncidentIo, openJira, openOpsgenie } from './pager-receivers.ts';
import {
  type Open,
  openEventBridge,
  openFake,
  openPagerDuty,
  openSlack,
  openSlackBot,
  openSns,
  openWebhook,
  SECRET,
  type Trouble,
} from './receivers.ts';

/** `hasRetryAfter`: a rate limit comes with a time to wait. */
const CHANNELS: { name: string; open: Open; hasRetryAfter: boolean }[] = [
  { name: 'the fake', open: openFake, hasRetryAfter: true },
  { name: 'Slack over HTTP', open: openSlack, hasRetryAfter: true },
  { name: 'Slack as a bot over HTTP', open: openSlackBot, hasRetryAfter: true },
  { name: 'PagerDuty over HTTP', open: openPagerDuty, hasRetryAfter: true },
  { name: 'incident.io over HTTP', open: openIncidentIo, hasRetryAfter: true },
  { name: 'Jira Service Management over HTTP', open: openOpsgenie, hasRetryAfter: true },
  { name: 'Jira over HTTP', open: openJira, hasRetryAfter: true },
  { name: 'a webhook over HTTP', open: openWebhook, hasRetryAfter: true },
  { name: 'SNS over HTTP', open: openSns, hasRetryAfter: false },
  { name: 'EventBridge over HTTP', open: openEventBridge, hasRetryAfter: false },
  { name: 'Teams over HTTP', open: openTeams, hasRetryAfter: true },
  { name: 'Discord over HTTP', open: openDiscord, hasRetryAfter: true },
  { name: 'Mattermost over HTTP', open: openMattermost, hasRetryAfter: true },
  { name: 'Google Chat over HTTP', open: openGoogleChat, hasRetryAfter: false },
  { name: 'e-mail over SMTP', open: openSmtp, hasRetryAfter: false },
  { name: 'e-mail over SES', open: openSes, hasRetryAfter: false },
];

/** A message with one alert and the same text. */
function news(text: string): Message {
  return aMessage({ text, title: text, items: [anItem({ key: `rule##${text}`, headline: text })] });
}

describe.each(CHANNELS)('a channel: $name', ({ open, hasRetryAfter }) => {
  test('delivers a message once', async () => {
    await using other = await open();
    expect(await other.channel.send(news('first'))).toMatchObject({ kind: 'sent' });
    expect(await other.channel.send(news('second'))).toMatchObject({ kind: 'sent' });
    expect(other.received()).toEqual(['first', 'second']);
  });

  const wait = hasRetryAfter ? { retryAfterMs: 30_000 } : {};
  test.each<{ trouble: Trouble; result: object }>([
    { trouble: 'busy', result: { permanent: false, ...wait } },
    { trouble: 'down', result: { permanent: false } },
    { trouble: 'gone', result: { permanent: true } },
    { trouble: 'cut', result: { permanent: false } },
    { trouble: 'silence', result: { permanent: false } },
  ])('returns a refusal with a reason and no secret: $trouble', async ({ trouble, result }) => {
    await using other = await open(trouble === 'silence' ? 30 : undefined);
    other.next(trouble);
    const refusal = await other.channel.send(news('refused'));
    expect(refusal).toMatchObject({ kind: 'refused', reason: expect.stringMatching(/\w+/), ...result });
    expect(refusal).not.toMatchObject({ sentKeys: [expect.anything()] });
    expect(JSON.stringify(refusal)).not.toContain(SECRET);
    expect(other.received()).toEqual([]);
  });

  test('sends again after a refusal', async () => {
    await using other = await open();
    other.next('down');
    await other.channel.send(news('late'));
    expect(await other.channel.send(news('late'))).toMatchObject({ kind: 'sent' });
    expect(other.received()).toEqual(['late']);
  });

  test('delivers hostile text as plain text within all limits', async () => {
    await using other = await open();
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        expect(await other.channel.send(hostileMessage(text))).toMatchObject({ kind: 'sent' });
        expect(lettersOf(other.received().at(-1) ?? '')).toBe(lettersOf(text));
      }),
      { numRuns: 15 },
    );
  });
});

const NASTY = [
  ...['<!channel>', '<@U123>', '<https://evil.example|click>', '*bold*', '`', '&amp;', '&', '>'],
  ...['<script>alert(1)</script>', '"><img src=x>', '\u0000', '\u001b[2J', '\u0007', '\u0085', '\r\n', '\t'],
  ...[
    '\uD83D',
    '\uDE00',
    '😀',
    '👩‍👩‍👧‍👦',
    '\u202E',
    '\u2066',
    '\uFEFF',
    '\uFFFF',
    'עברית',
    'ﷺ',
    'ß',
    '{{x}}',
    '%00',
    '\\u0000',
  ],
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 20 })), { maxLength: 20 })
  .chain((parts) => fc.constantFrom(parts.join(' '), parts.join(' ').padEnd(10_000, 'long ')))
  .map((text) => `about ${text}`);

/** The same text in each field that users or services control. */
function hostileMessage(text: string): Message {
  const item = anItem({
    key: `rule#${text}#fired`,
    segment: text,
    headline: text,
    facts: Array.from({ length: 15 }, () => ({ label: text, text })),
    runbook: text,
    app: text,
    links: {
      open: 'https://deltawatch.example/alerts/1',
      picture: { url: 'https://deltawatch.example/pictures/1', alt: text },
      answers: [{ answer: 'acknowledge', label: text, url: 'https://deltawatch.example/answers/1' }],
    },
  });
  return aMessage({
    text,
    title: text,
    items: Array.from({ length: 12 }, (_, i) => ({ ...item, key: `${item.key}${i}` })),
  });
}

/** The first letters of a text. Channels may replace other characters. */
function lettersOf(text: string): string {
  return text.replaceAll(/[^a-z]/g, '').slice(0, 100);
}
