import * as z from 'zod';
import { jsonIn } from '../../text/json.ts';
import { chatMessage, markdown } from '../chat-text.ts';
import { type ChatVendor, opens } from '../chat-webhook.ts';

/**
 * Limits of Discord, which rejects the whole message for one character more: of one embed, and of all together.
 * https://docs.discord.com/developers/resources/message#embed-object-embed-limits
 */
const DISCORD_LIMITS = { description: 4096, total: 6000 } as const;

/** The message as embeds. It mentions nobody. */
export const discordMessage = chatMessage(
  markdown((line) => line.replaceAll(/[\\*_~`|[\]<>#]|:(?=\/\/)/g, '\\$&')),
  ({ title, alerts, more }) => ({
    content: [`**${title}**`, more].filter(Boolean).join('\n'),
    embeds: alerts.map(({ color, lines, picture }) => ({
      color: Number.parseInt(color, 16),
      description: lines.join('\n'),
      ...(picture ? { image: { url: picture.url } } : {}),
    })),
    allowed_mentions: { parse: [] },
  }),
  ({ embeds }) => {
    const lengths = embeds.map(({ description }) => description.length);
    const total = lengths.reduce((sum, length) => sum + length, 0);
    return Math.max(...lengths) <= DISCORD_LIMITS.description && total <= DISCORD_LIMITS.total;
  },
);

/** `retry_after` is in seconds: https://docs.discord.com/developers/topics/rate-limits */
const errorSchema = z.object({ code: z.int().optional(), retry_after: z.number().optional() });

const DISCORD: ChatVendor = {
  name: 'Discord',
  // Without it, Discord also accepts messages that it then does not save:
  // https://docs.discord.com/developers/resources/webhook#execute-webhook
  addressOf(webhookUrl) {
    const url = new URL(webhookUrl);
    url.searchParams.set('wait', 'true');
    return url.href;
  },
  layout: discordMessage,
  verdictOn({ status, body }) {
    if (status === 200 || status === 204) return 'accepted';
    if (status < 400) return 'foreign';
    const { code, retry_after: wait } = errorSchema.catch({}).parse(jsonIn(body));
    return {
      status,
      error: code === undefined ? undefined : `code ${code}`,
      ...(wait === undefined ? {} : { retryAfter: String(wait) }),
    };
  },
  adviceOn({ status }) {
    if ([401, 403, 404].includes(status))
      return ': the webhook was deleted; create a new one and store its URL in the secret';
    return status === 400 ? ': the message is invalid, which is a bug in Deltawatch' : '';
  },
};

export const open = opens(DISCORD);
