import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { slackBlocks } from '../../../../shared/channels/slack/blocks.ts';
import type { Message, MessageItem } from '../../../../shared/messages/message.ts';
import { parsePayload } from '../../../fakes/slack-payload.ts';
import { aMessage, anItem, LINKS } from '../../../fixtures/messages.ts';

test('one alert has headline, figures, picture, context, runbook and answer links', () => {
  const facts = [
    { label: 'Now', text: '580 events' },
    { label: 'Before', text: '1,000 events' },
    { label: 'Since', text: 'Mon', isSmall: true as const },
  ];
  const links = { ...LINKS, answers: LINKS.answers.slice(0, 2) };
  expect(slackBlocks(aMessage({ items: [anItem({ facts, links })] }))).toEqual({
    text: 'Checkout dropped: checkout_completed fell by 42% (1,000 to 580)',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: '🔴 Checkout dropped', emoji: false } },
      { type: 'section', text: mrkdwn('*Now:* 580 events\n*Before:* 1,000 events') },
      {
        type: 'image',
        image_url: 'https://dw.example.com/p/abc',
        alt_text: 'Purchases, the last 4 weeks',
      },
      {
        type: 'context',
        elements: [
          mrkdwn('*Since:* Mon'),
          mrkdwn('critical  ·  rule checkout-drop  ·  app shop  ·  times in UTC'),
        ],
      },
      {
        type: 'section',
        text: mrkdwn('*What to do:* <https://wiki.example.com/checkout|the runbook>'),
      },
      {
        type: 'section',
        text: mrkdwn(
          [
            '<https://dw.example.com/alerts/1?a=1&amp;b=2|Open>',
            '<https://dw.example.com/answers/token-of-acknowledge|Acknowledge>',
            '<https://dw.example.com/answers/token-of-snooze-1h|Snooze 1 h>',
          ].join('  ·  '),
        ),
      },
    ],
  });
});

describe('answers with interactive: true', () => {
  const message = aMessage({ items: [anItem({ links: LINKS })] });
  const rows = slackBlocks(message, { interactive: true }).blocks.filter(({ type }) => type === 'actions');
  const elements = rows.flatMap((row) => (row.type === 'actions' ? row.elements : []));
  const menu = elements.find((each) => each.type === 'static_select');

  test('are three buttons and one menu in one row, instead of links', () => {
    expect(rows).toHaveLength(1);
    const quick = LINKS.answers.slice(0, 2).map(({ answer, label }) => ({
      type: 'button',
      text: { type: 'plain_text', text: label, emoji: false },
      action_id: answer,
      value: `token-of-${answer}`,
      ...(answer === 'acknowledge' && { style: 'primary' }),
    }));
    expect(elements.slice(0, 2)).toEqual(quick);
    expect(elements[2]).toMatchObject({ action_id: 'open', url: LINKS.open });
    expect(elements).toHaveLength(4);
    expect(textsOf(message, { interactive: true }).join()).not.toContain('/answers/');
  });

  test('the menu has all other answers, and asks for confirmation', () => {
    expect(menu).toMatchObject({
      placeholder: { text: 'More answers' },
      options: LINKS.answers.slice(2).map(({ answer, label }) => ({ text: { text: label }, value: answer })),
      confirm: { title: { text: 'Give this answer?' }, deny: { text: 'Cancel' } },
    });
  });

  test('the menu only asks if one of its answers does', () => {
    const answers = LINKS.answers.filter(({ answer }) => ['acknowledge', 'snooze-1d'].includes(answer));
    const shown = slackBlocks(aMessage({ items: [anItem({ links: { ...LINKS, answers } })] }), {
      interactive: true,
    });
    expect(JSON.stringify(shown.blocks)).not.toContain('Give this answer?');
  });

  test('omit an answer whose token is too long, and the menu without a token beside it', () => {
    const answers = LINKS.answers.map((each) => ({ ...each, url: `${each.url}${'x'.repeat(2000)}` }));
    const items = [anItem({ links: { ...LINKS, answers } })];
    const { blocks } = slackBlocks(aMessage({ items }), { interactive: true });
    expect(blocks.at(-1)).toMatchObject({ elements: [{ action_id: 'open' }] });
  });
});

test('answers as links are the two quickest, and a link to the others', () => {
  const { blocks } = slackBlocks(aMessage({ items: [anItem({ links: LINKS })] }));
  const text = (blocks.at(-1) as { text: { text: string } }).text.text;
  expect([...text.matchAll(/\|([^>]+)>/g)].map(([, label]) => label)).toEqual([
    ...['Open', 'Acknowledge', 'Snooze 1 h', 'More answers'],
  ]);
  expect(text.match(/alerts\/1/g)).toHaveLength(2);
});

describe('the time zone', () => {
  const berlin = (overrides: Partial<MessageItem> = {}) =>
    anItem({
      ...{ zone: 'Europe/Berlin', summary: 'On Mon (Europe/Berlin)' },
      ...{
        facts: [
          { label: 'Now', text: 'Mon 12:00 (Europe/Berlin)' },
          { label: 'Held', text: 'to 9:00 (UTC)' },
        ],
      },
      ...overrides,
    });

  test('is named once, and another zone where it is used', () => {
    const shown = textsOf(aMessage({ items: [berlin()], title: 'Down since Mon (Europe/Berlin)' })).join(
      '\n',
    );
    expect(shown).toContain('🔴 Down since Mon\n');
    expect(shown).toContain('*Now:* Mon 12:00\n*Held:* to 9:00 (UTC)');
    expect(shown).toContain('app shop  ·  times in Europe/Berlin');
  });
});

describe('an item shows', () => {
  test.each<{ name: string; item: Partial<MessageItem>; shows: string }>([
    { name: 'a recovered alert', item: { transition: 'recovered' }, shows: '✅ Checkout' },
    { name: 'an acknowledged alert', item: { transition: 'acknowledged' }, shows: '👀 Checkout' },
    { name: 'a snoozed alert', item: { transition: 'snoozed' }, shows: '💤 Checkout' },
    { name: 'a warning', item: { severity: 'warning' }, shows: '🟠 Checkout' },
    { name: 'the severity in words', item: { severity: 'warning' }, shows: 'warning  ·  rule' },
    { name: 'a runbook in words', item: { runbook: 'Ask <Ann>' }, shows: '*What to do:* Ask &lt;Ann&gt;' },
    {
      name: 'a javascript: URL as text',
      item: { runbook: 'javascript:x' },
      shows: '*What to do:* javascript:x',
    },
    {
      name: 'an escaped link',
      item: { runbook: 'https://e.example/a|b>c?x=1&y=2' },
      shows: '<https://e.example/a%7Cb%3Ec?x=1&amp;y=2|the runbook>',
    },
    {
      name: 'mentions as text',
      item: { facts: [{ label: '<!here>', text: '<!channel> & <@U1>' }] },
      shows: '*&lt;!here&gt;:* &lt;!channel&gt; &amp; &lt;@U1&gt;',
    },
    {
      name: 'the full headline if the header is cut',
      item: { headline: `${'x'.repeat(200)} down 41%` },
      shows: `*${'x'.repeat(200)} down 41%*`,
    },
  ])('$name', ({ item, shows }) => {
    expect(textsOf(aMessage({ items: [anItem(item)] })).join('\n')).toContain(shows);
  });
});

describe('a digest', () => {
  const many = (count: number, overrides: Partial<MessageItem> = {}) =>
    Array.from({ length: count }, (_, i) => anItem({ ruleId: `rule-${i}`, ...overrides }));

  test('shows ten items in two lines each, and links to the others', () => {
    const items = many(40, { links: { ...LINKS, picture: null } });
    const { blocks } = slackBlocks(aMessage({ items, overviewUrl: 'https://dw.example.com/' }));
    const sections = blocks.filter(({ type }) => type === 'section');
    expect(sections).toHaveLength(10);
    expect(sections[0]).toMatchObject({
      text: mrkdwn(
        '🔴 *checkout_completed fell by 42%*\n580 events on Mon 2 Mar 2026, 1,000 before  ·  <https://dw.example.com/alerts/1?a=1&amp;b=2|Open>',
      ),
    });
    expect(blocks.at(-1)).toMatchObject({
      elements: [{ text: '+30 more  ·  <https://dw.example.com/|All open alerts>  ·  times in UTC' }],
    });
  });
});

const words = fc.string({
  unit: fc.constantFrom('&', '<', '😀', 'a', '"', '\n', '\u0001', '\ud800'),
  minLength: 1,
  maxLength: 4000,
});
const anyItem = fc.record({
  headline: words,
  summary: words,
  facts: fc.array(fc.record({ label: words, text: words }), { maxLength: 14 }),
  runbook: fc.option(words),
  links: fc.option(fc.constantFrom(LINKS, { ...LINKS, open: `https://e.example/${'<'.repeat(1000)}` })),
});

test('no message exceeds the documented limits of Slack', () => {
  const anyMessage = fc.record({
    text: words,
    title: words,
    items: fc.array(anyItem.map(anItem), { minLength: 1, maxLength: 60 }),
  });
  fc.assert(
    fc.property(anyMessage.map(aMessage), fc.boolean(), (message, interactive) => {
      const payload = slackBlocks(message, { interactive });
      expect(JSON.stringify(payload.blocks).length).toBeLessThanOrEqual(12_000);
      const body = JSON.stringify(payload);
      expect(parsePayload(JSON.parse(body))).toMatchObject({ kind: 'accepted' });
      expect(body).not.toMatch(/\\ud[89a-f]|\\u0001/);
    }),
    { numRuns: 50 },
  );
});

function mrkdwn(text: string) {
  return { type: 'mrkdwn', text, verbatim: true };
}

function textsOf(message: Message, options: { interactive?: boolean } = {}): string[] {
  return slackBlocks(message, options).blocks.flatMap((block) => {
    if (block.type === 'header') return [block.text.text];
    if (block.type === 'section') return [block.text?.text ?? ''];
    if (block.type !== 'context') return [];
    return block.elements.flatMap((part) => ('text' in part ? part.text : []));
  });
}
