import { expect, test } from 'vitest';
import { ANSWER_NAMES } from '../../../../shared/alerts/alert.ts';
import { createDiscordChannel } from '../../../../shared/channels/discord/channel.ts';
import { discordMessage } from '../../../../shared/channels/discord/embeds.ts';
import { LABELS } from '../../../../shared/messages/answer-text.ts';
import type { ItemLinks } from '../../../../shared/messages/message.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { discordSchema } from '../../../contracts/chat-receivers.ts';
import { NOW } from '../../../contracts/samples.ts';
import { listen } from '../../../fixtures/loopback-server.ts';
import { aMessage, anItem } from '../../../fixtures/messages.ts';

const LINKS: ItemLinks = {
  open: 'https://dw.example.com/alerts/1',
  picture: { url: 'https://dw.example.com/p/abc', alt: 'Purchases' },
  answers: ANSWER_NAMES.map((answer) => ({
    answer,
    label: LABELS[answer],
    url: `https://dw.example.com/a/${answer}`,
  })),
};

test('one alert is an embed with fields, picture and small print, and buttons with links', () => {
  const long = 'a sentence that does not fit beside another one';
  const facts = [
    { label: 'Now', text: '580 events' },
    { label: 'How sure', text: long },
  ];
  const links = { ...LINKS, answers: LINKS.answers.slice(0, 1) };
  expect(discordMessage(aMessage({ items: [anItem({ facts, links })] }))).toEqual({
    embeds: [
      {
        title: '🔴 Checkout dropped',
        url: 'https://dw.example.com/alerts/1',
        color: 0xc62828,
        fields: [
          { name: 'Now', value: '580 events', inline: true },
          { name: 'How sure', value: long, inline: false },
          { name: 'What to do', value: '[the runbook](https://wiki.example.com/checkout)', inline: false },
        ],
        image: { url: 'https://dw.example.com/p/abc' },
        footer: { text: 'critical · rule checkout-drop · app shop' },
      },
    ],
    components: [
      {
        type: 1,
        components: [
          { type: 2, style: 5, label: 'Open', url: 'https://dw.example.com/alerts/1' },
          { type: 2, style: 5, label: 'Acknowledge', url: 'https://dw.example.com/a/acknowledge' },
        ],
      },
    ],
    allowed_mentions: { parse: [] },
  });
});

test('an embed that is too long loses facts and then says how many', () => {
  const facts = Array.from({ length: 60 }, (_, i) => ({ label: `Fact ${i}`, text: '*'.repeat(700) }));
  const message = discordMessage(aMessage({ items: [anItem({ facts, links: LINKS })] }));
  expect(discordSchema.safeParse(message).error).toBeUndefined();
  const fields = message.embeds[0]?.fields ?? [];
  const shown = fields.filter(({ name }) => name.startsWith('Fact')).length;
  expect(shown).toBeGreaterThan(3);
  expect(fields).toContainEqual({ name: 'More', value: `+${60 - shown} more`, inline: true });
});

test('a digest is one embed per alert, three with pictures, and a line for the rest', () => {
  const items = Array.from({ length: 12 }, (_, i) =>
    anItem({ key: `${i}`, headline: `Alert ${i}`, links: LINKS }),
  );
  const message = discordMessage(
    aMessage({ title: 'Alert 0, and 11 more', items, overviewUrl: 'https://dw.example.com/' }),
  );
  expect(discordSchema.safeParse(message).error).toBeUndefined();
  expect(message.content).toBe(
    '**🔴 Alert 0, and 11 more**\n+2 more · [All open alerts](https://dw.example.com/)',
  );
  expect(message.embeds.map(({ title }) => title)).toEqual(
    items.slice(0, 10).map(({ headline }) => `🔴 ${headline}`),
  );
  expect(message.embeds.filter(({ image }) => image)).toHaveLength(3);
});

test('names are shown as they are: no Markdown, no mention and no link', () => {
  const title = '@everyone <@1> [Click](https://evil.example) **now** # ||x||';
  expect(discordMessage(aMessage({ title })).embeds[0]?.title).toBe(
    '🔴 @everyone \\<@1\\> \\[Click\\](https\\://evil.example) \\*\\*now\\*\\* \\# \\|\\|x\\|\\|',
  );
});

test('a cut never leaves half an escape', () => {
  const titleOf = (title: string) => discordMessage(aMessage({ title })).embeds[0]?.title ?? '';
  for (const length of [200, 201]) {
    const title = titleOf(`${'a'.repeat(length)}${'*'.repeat(60)}`);
    expect(title.length).toBeLessThanOrEqual(256);
    expect(title).toMatch(/a(\\\*)+…$/);
  }
});

/** The result, the sent bodies and the warnings, if Discord answers this way. */
async function sendTo(answers: { status: number; body: string }[], links: ItemLinks | null = LINKS) {
  const bodies: string[] = [];
  const warnings: unknown[] = [];
  await using server = await listen((_request, body, response) => {
    bodies.push(body);
    const { status, body: answer } = answers[bodies.length - 1] ?? { status: 200, body: '{}' };
    response.writeHead(status).end(answer);
  });
  const channel = createDiscordChannel({
    webhookUrl: `${server.url}/?thread_id=7`,
    clock: new ManualClock(NOW),
    logger: { warn: (_: string, about?: object) => void warnings.push(about) },
  });
  const result = await channel.send(aMessage({ items: [anItem({ links })] }));
  return { result, bodies, warnings };
}

const INVALID = { status: 400, body: '{"message":"Invalid Form Body","code":50035}' };
const REASON =
  'Discord refused the message (400, code 50035): the message is invalid, which is a bug in Deltawatch';

test('a message with an address that Discord refuses is sent once more without links', async () => {
  const { result, bodies, warnings } = await sendTo([INVALID]);
  expect(result).toEqual({ kind: 'sent' });
  expect(bodies.map((body) => body.includes('dw.example.com'))).toEqual([true, false]);
  expect(warnings).toEqual([{ reason: REASON }]);
});

test('a message without links that Discord refuses is not sent again', async () => {
  const { result, bodies } = await sendTo([INVALID], null);
  expect(result).toEqual({ kind: 'refused', permanent: true, reason: REASON });
  expect(bodies).toHaveLength(1);
});

test.each<[number, string, object]>([
  [204, '', { kind: 'sent' }],
  [302, '', { permanent: false, reason: 'something other than Discord answered' }],
  [429, '{"retry_after":0.25,"global":true}', { permanent: false, retryAfterMs: 250 }],
  [429, '<html>Cloudflare', { permanent: false, reason: 'Discord is rate limiting (429)' }],
  [
    404,
    '{"message":"Unknown Webhook","code":10015}',
    {
      permanent: true,
      reason:
        'Discord refused the message (404, code 10015): the webhook was deleted; create a new one and store its URL in the secret',
    },
  ],
])('the answer %d %s', async (status, body, result) => {
  expect((await sendTo([{ status, body }])).result).toMatchObject(result);
});
