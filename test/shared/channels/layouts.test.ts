import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { discordMessage } from '../../../shared/channels/discord/channel.ts';
import { googleChatMessage } from '../../../shared/channels/googlechat/channel.ts';
import { mattermostPost } from '../../../shared/channels/mattermost/channel.ts';
import { slackBlocks } from '../../../shared/channels/slack/blocks.ts';
import { teamsMessage } from '../../../shared/channels/teams/channel.ts';
import type { Message } from '../../../shared/messages/message.ts';
import {
  discordSchema,
  googleChatSchema,
  mattermostSchema,
  teamsSchema,
} from '../../contracts/chat-receivers.ts';
import { aMessage, anItem, LINKS } from '../../fixtures/messages.ts';

/** `bytes`: the most that one message may have. */
const CHATS: { name: string; layout: (message: Message) => unknown; form: z.ZodType; bytes: number }[] = [
  { name: 'Slack', layout: (message) => slackBlocks(message), form: z.unknown(), bytes: 40_000 },
  { name: 'Teams', layout: teamsMessage, form: teamsSchema, bytes: 20_000 },
  { name: 'Discord', layout: discordMessage, form: discordSchema, bytes: 40_000 },
  { name: 'Mattermost', layout: mattermostPost, form: mattermostSchema, bytes: 4 * 16_383 },
  { name: 'Google Chat', layout: googleChatMessage, form: googleChatSchema, bytes: 32_000 },
];

const distinct = (text: string, pattern: RegExp) => new Set(text.match(pattern)).size;

describe.each(CHATS)('a message to $name', ({ layout, form, bytes }) => {
  const written = (message: Message) => {
    const payload = layout(message);
    expect(form.safeParse(payload).error).toBeUndefined();
    expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(bytes);
    return JSON.stringify(payload);
  };

  test.each([
    [60, '字'.repeat(700)],
    [60, '*'.repeat(700)],
    [120, 'short'],
  ])('about %d facts loses the last ones, says how many, and keeps its links', (count, text) => {
    const facts = Array.from({ length: count }, (_, i) => ({ label: `Fact ${i}`, text }));
    const shown = written(aMessage({ items: [anItem({ facts, links: LINKS })] }));
    const left = count - distinct(shown, /Fact \d+/g);
    expect(left).toBeLessThan(count - 3);
    if (left > 0) expect(shown).toContain(`+${left} more`);
    for (const part of ['Acknowledge', 'Fact 0', LINKS.picture?.url]) expect(shown).toContain(part);
  });

  test('about twelve alerts shows ten, three with pictures, and links to the others', () => {
    const items = Array.from({ length: 12 }, (_, i) =>
      anItem({ key: `${i}`, headline: `Alert ${i}`, links: LINKS }),
    );
    const shown = written(
      aMessage({ title: 'Alert 0, and 11 more', items, overviewUrl: 'https://dw.example.com/' }),
    );
    expect(distinct(shown, /Alert \d+/g)).toBe(10);
    expect(shown.match(/dw\.example\.com\/p\/abc/g)).toHaveLength(3);
    expect(shown).toMatch(/\+2 more.*All open alerts/);
  });
});
