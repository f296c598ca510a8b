import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SLACK_LIMITS, slackBlocks } from '../../../shared/adapters/slack-blocks.ts';
import type { Message, MessageItem } from '../../../shared/alerting/message.ts';
import { aMessage, anItem } from '../../fixtures/messages.ts';

test('one alert: title, figures, rule and what to do', () => {
  expect(slackBlocks(aMessage())).toEqual({
    text: 'Checkout dropped: checkout_completed fell by 42 % (1,000 to 580)',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: '🔴 Checkout dropped', emoji: false } },
      {
        type: 'section',
        text: mrkdwn('🔴 *checkout_completed fell by 42 %*'),
        fields: [mrkdwn('*Now*\n580 events'), mrkdwn('*Before*\n1,000 events')],
      },
      {
        type: 'context',
        elements: [mrkdwn('checkout-drop  |  <https://wiki.example.com/checkout|What to do>')],
      },
    ],
  });
});

describe('an item', () => {
  test.each<{ name: string; item: Partial<MessageItem>; shows: string }>([
    { name: 'names its segment', item: { segment: 'android' }, shows: 'checkout-drop · android' },
    { name: 'recovered', item: { transition: 'recovered' }, shows: '✅ *checkout' },
    { name: 'warning', item: { severity: 'warning' }, shows: '🟠 *checkout' },
    { name: 'no figures', item: { facts: [] }, shows: '*checkout_completed fell by 42 %*' },
    { name: 'a runbook in words', item: { runbook: 'Ask <Ann>' }, shows: 'What to do: Ask &lt;Ann&gt;' },
    { name: 'no link but of the web', item: { runbook: 'javascript:x' }, shows: 'What to do: javascript:x' },
    {
      name: 'a link with what would end it',
      item: { runbook: 'https://e.example/a|b>c?x=1&y=2' },
      shows: '<https://e.example/a%7Cb%3Ec?x=1&amp;y=2|What to do>',
    },
    {
      name: 'cannot mention',
      item: { headline: '<!channel> & <@U1>' },
      shows: '&lt;!channel&gt; &amp; &lt;@U1&gt;',
    },
    { name: 'is cut visibly', item: { headline: 'x'.repeat(5000) }, shows: 'xxx…*' },
    {
      name: 'counts the figures it has no room for',
      item: { facts: Array.from({ length: 13 }, (_, i) => ({ label: `L${i}`, text: 't' })) },
      shows: '+3 more figures',
    },
  ])('$name', ({ item, shows }) => {
    expect(textsOf(aMessage({ items: [anItem(item)] })).join('\n')).toContain(shows);
  });
});

describe('a digest', () => {
  test('that does not fit counts what is left out', () => {
    const items = Array.from({ length: 60 }, (_, i) => anItem({ ruleId: `rule-${i}`, facts: [] }));
    const { blocks } = slackBlocks(aMessage({ items }));
    const shown = blocks.filter(({ type }) => type === 'section').length;
    expect(blocks.at(-1)).toMatchObject({ elements: [{ text: `+${60 - shown} more` }] });
    expect(shown).toBe(10);
  });

  test('is green only when all is over', () => {
    const over = anItem({ transition: 'recovered' });
    expect(textsOf(aMessage({ items: [over, over] }))[0]).toBe('✅ Checkout dropped');
    expect(textsOf(aMessage({ items: [over, anItem()] }))[0]).toBe('🔴 Checkout dropped');
  });
});

const words = fc.string({
  unit: fc.constantFrom('&', '<', '😀', 'a', '"', '\n'),
  minLength: 1,
  maxLength: 4000,
});
const anyItem = fc.record({
  headline: words,
  facts: fc.array(fc.record({ label: words, text: words }), { maxLength: 14 }),
  runbook: fc.option(words),
});

test('no message exceeds what Slack accepts', () => {
  const anyMessage = fc.record({
    text: words,
    title: words,
    items: fc.array(anyItem.map(anItem), { minLength: 1, maxLength: 60 }),
  });
  fc.assert(
    fc.property(anyMessage.map(aMessage), (message) => {
      const { text, blocks } = slackBlocks(message);
      expect(text.length).toBeLessThanOrEqual(SLACK_LIMITS.sectionText);
      expect(blocks.length).toBeLessThanOrEqual(SLACK_LIMITS.blocks);
      for (const block of blocks) {
        if (block.type === 'header') expect(block.text.text.length).toBeLessThanOrEqual(SLACK_LIMITS.header);
        if (block.type !== 'section') continue;
        expect(block.text?.text.length).toBeLessThanOrEqual(SLACK_LIMITS.sectionText);
        expect(block.fields?.length ?? 0).toBeLessThanOrEqual(SLACK_LIMITS.fields);
        for (const field of block.fields ?? [])
          expect(field.text.length).toBeLessThanOrEqual(SLACK_LIMITS.fieldText);
      }
      const wellFormed = textsOf(message).every((each) => each.isWellFormed());
      expect(wellFormed).toBe(true);
    }),
    { numRuns: 50 },
  );
});

function mrkdwn(text: string) {
  return { type: 'mrkdwn', text, verbatim: true };
}

function textsOf(message: Message): string[] {
  return slackBlocks(message).blocks.flatMap((block) => {
    if (block.type === 'header') return [block.text.text];
    const parts = block.type === 'section' ? [block.text, ...(block.fields ?? [])] : block.elements;
    return parts.flatMap((part) => (part && 'text' in part ? part.text : []));
  });
}
