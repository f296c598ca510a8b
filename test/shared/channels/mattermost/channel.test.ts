import { expect, test } from 'vitest';
import { createMattermostChannel } from '../../../../shared/channels/mattermost/channel.ts';
import { mattermostPost } from '../../../../shared/channels/mattermost/post.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { mattermostSchema } from '../../../contracts/chat-receivers.ts';
import { NOW } from '../../../contracts/samples.ts';
import { listen } from '../../../fixtures/loopback-server.ts';
import { aMessage, anItem } from '../../../fixtures/messages.ts';

const links = {
  open: 'https://dw.example.com/alerts/1',
  picture: { url: 'https://dw.example.com/p/abc', alt: 'Purchases' },
  answers: [
    { answer: 'acknowledge' as const, label: 'Acknowledge', url: 'https://dw.example.com/a/acknowledge' },
  ],
};

test('one alert is a title, and an attachment with fields, picture, links and small print', () => {
  const long = 'a sentence that does not fit beside another one';
  const facts = [
    { label: 'Now', text: '580 events' },
    { label: 'How sure', text: long },
  ];
  expect(mattermostPost(aMessage({ items: [anItem({ facts, links })] }))).toEqual({
    text: '**🔴 Checkout dropped**',
    attachments: [
      {
        fallback: '🔴 checkout_completed fell by 42%',
        color: '#c62828',
        image_url: 'https://dw.example.com/p/abc',
        text: [
          '**What to do:** [the runbook](https://wiki.example.com/checkout)',
          '[Open](https://dw.example.com/alerts/1) · [Acknowledge](https://dw.example.com/a/acknowledge)',
        ].join('\n'),
        fields: [
          { title: 'Now', value: '580 events', short: true },
          { title: 'How sure', value: long, short: false },
        ],
        footer: 'critical · rule checkout-drop · app shop',
      },
    ],
  });
});

test('a digest has an attachment for each of ten alerts, three with pictures, and says how many are left', () => {
  const items = Array.from({ length: 12 }, (_, i) => anItem({ key: `${i}`, headline: `Alert ${i}`, links }));
  const { text, attachments } = mattermostPost(
    aMessage({ title: 'Alert 0, and 11 more', items, overviewUrl: 'https://dw.example.com/' }),
  );
  expect(text).toBe('**🔴 Alert 0, and 11 more**\n+2 more · [All open alerts](https://dw.example.com/)');
  expect(attachments[9]?.text).toMatch(/^\*\*🔴 Alert 9\*\*\n.+ · \[Open\]\(https/);
  expect(attachments.filter((each) => 'image_url' in each)).toHaveLength(3);
});

test('a post that is too long loses facts and then says how many', () => {
  const facts = Array.from({ length: 60 }, (_, i) => ({ label: `Fact ${i}`, text: '*'.repeat(700) }));
  const post = mattermostPost(aMessage({ items: [anItem({ facts, links })] }));
  expect(JSON.stringify(post).length).toBeLessThanOrEqual(16_383);
  const [attachment] = mattermostSchema.parse(post).attachments;
  const shown = attachment?.fields?.length ?? 0;
  expect(shown).toBeGreaterThan(3);
  expect(attachment?.text).toContain(`+${60 - shown} more`);
});

test('names are shown as they are: no Markdown, no mention and no link', () => {
  const title = '@channel [Click](https://evil.example) **now** <https://evil.example|here>';
  expect(mattermostPost(aMessage({ title })).text.replaceAll('\u200B', '^')).toBe(
    '**🔴 @^channel \\[Click\\](https:^//evil.example) \\*\\*now\\*\\* &lt;https:^//evil.example\\|here\\>**',
  );
});

const errorOf = (id: string) =>
  `{"id":"${id}","message":"about xoxkey","detailed_error":"","request_id":"x"}`;

test.each<[number, string, object]>([
  [200, 'ok', { kind: 'sent' }],
  [200, '<html>', { permanent: false, reason: 'something other than Mattermost answered' }],
  [302, '', { permanent: false, reason: 'something other than Mattermost answered' }],
  [429, 'limit exceeded', { permanent: false, reason: 'Mattermost is rate limiting (429)' }],
  [
    400,
    errorOf('web.incoming_webhook.invalid.app_error'),
    {
      permanent: true,
      reason:
        'Mattermost refused the message (400, web.incoming_webhook.invalid.app_error): the webhook was deleted; create a new one and store its URL in the secret',
    },
  ],
  [
    404,
    errorOf('web.incoming_webhook.channel.app_error'),
    { permanent: true, reason: expect.stringContaining('create a webhook for another channel') },
  ],
  [
    403,
    errorOf('web.incoming_webhook.permissions.app_error'),
    { permanent: true, reason: expect.stringContaining('create one as somebody who may') },
  ],
  [400, '{"id":"<b>xoxkey"}', { permanent: true, reason: expect.stringContaining('(400): the message') }],
  [
    501,
    errorOf('web.incoming_webhook.disabled.app_error'),
    { permanent: false, reason: 'Mattermost failed (501, web.incoming_webhook.disabled.app_error)' },
  ],
])('the answer %d %s', async (status, body, result) => {
  await using server = await listen((_request, _body, response) => {
    response.writeHead(status).end(body);
  });
  const channel = createMattermostChannel({ webhookUrl: server.url, clock: new ManualClock(NOW) });
  expect(await channel.send(aMessage())).toMatchObject(result);
});
