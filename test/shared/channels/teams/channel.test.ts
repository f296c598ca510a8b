import { expect, test } from 'vitest';
import { ANSWER_NAMES } from '../../../../shared/alerts/alert.ts';
import { teamsMessage } from '../../../../shared/channels/teams/card.ts';
import { createTeamsChannel } from '../../../../shared/channels/teams/channel.ts';
import { LABELS } from '../../../../shared/messages/answer-text.ts';
import type { ItemLinks, Message } from '../../../../shared/messages/message.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
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

const bodyOf = (message: Message) => teamsMessage(message).attachments[0]?.content.body ?? [];

test('one alert has title, facts, picture, small print, runbook and buttons', () => {
  const facts = [
    { label: 'Now', text: '580 events' },
    { label: 'Since', text: 'Mon', isSmall: true as const },
  ];
  const links = { ...LINKS, answers: LINKS.answers.slice(0, 1) };
  const small = { type: 'TextBlock', wrap: true, size: 'Small', isSubtle: true, spacing: 'None' };
  expect(bodyOf(aMessage({ items: [anItem({ facts, links })] }))).toEqual([
    {
      ...{ type: 'TextBlock', text: '🔴 Checkout dropped', wrap: true },
      ...{ size: 'Large', weight: 'Bolder', color: 'Attention' },
    },
    { type: 'FactSet', facts: [{ title: 'Now', value: '580 events' }] },
    { type: 'Image', url: 'https://dw.example.com/p/abc', altText: 'Purchases', size: 'Stretch' },
    { ...small, text: 'Since: Mon' },
    { ...small, text: 'critical · rule checkout-drop · app shop' },
    {
      type: 'TextBlock',
      text: '**What to do:** [the runbook](https://wiki.example.com/checkout)',
      wrap: true,
    },
    {
      type: 'ActionSet',
      actions: [
        { type: 'Action.OpenUrl', title: 'Open', url: 'https://dw.example.com/alerts/1' },
        { type: 'Action.OpenUrl', title: 'Acknowledge', url: 'https://dw.example.com/a/acknowledge' },
      ],
    },
  ]);
});

test('every answer has a button, in rows that Teams shows whole', () => {
  const rows = bodyOf(aMessage({ items: [anItem({ links: LINKS })] })).flatMap((block) =>
    'actions' in block ? [block.actions.length] : [],
  );
  expect(rows).toEqual([6, ANSWER_NAMES.length + 1 - 6]);
});

test('a card that is too long loses facts and then says how many', () => {
  const facts = Array.from({ length: 60 }, (_, i) => ({ label: `Fact ${i}`, text: '字'.repeat(700) }));
  const message = aMessage({ items: [anItem({ facts, links: LINKS })] });
  expect(Buffer.byteLength(JSON.stringify(teamsMessage(message)))).toBeLessThanOrEqual(20_000);
  const text = JSON.stringify(bodyOf(message));
  const shown = text.match(/"Fact \d+"/g)?.length ?? 0;
  expect(shown).toBeGreaterThan(3);
  expect(text).toContain(`"+${60 - shown} more"`);
  expect(text).toContain('Acknowledge');
});

test('a digest shows ten headlines, three pictures, the number of others and a link to all', () => {
  const items = Array.from({ length: 12 }, (_, i) =>
    anItem({ key: `${i}`, headline: `Alert ${i}`, links: LINKS }),
  );
  const body = bodyOf(aMessage({ items, overviewUrl: 'https://dw.example.com/' }));
  expect(JSON.stringify(body).match(/Alert \d+/g)).toHaveLength(10);
  expect(body.filter(({ type }) => type === 'Image')).toHaveLength(3);
  expect(body.at(-1)).toMatchObject({ text: '+2 more · [All open alerts](https://dw.example.com/)' });
});

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
  [200, deliveryFailed(500), { permanent: false, reason: 'Teams failed (500)' }],
  [200, deliveryFailed(413), { permanent: true, reason: 'Teams refused the message (413)' }],
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
  [413, '', { permanent: true, reason: 'Teams refused the message (413)' }],
  [502, '', { permanent: false, reason: 'Teams failed (502)' }],
])('the answer %d %s', async (status, body, result) => {
  await using server = await listen((_request, _body, response) => {
    response.writeHead(status).end(body);
  });
  const channel = createTeamsChannel({ webhookUrl: server.url, clock: new ManualClock(NOW) });
  expect(await channel.send(aMessage())).toMatchObject(result);
});
