import * as z from 'zod';
import type { Message } from '../../messages/message.ts';
import { type ChatVendor, type ChatWebhookOptions, chatWebhook, opens } from '../chat-webhook.ts';
import { jsonIn } from '../http-post.ts';
import { discordMessage } from './embeds.ts';

/** `retry_after` is in seconds: https://docs.discord.com/developers/topics/rate-limits */
const errorSchema = z.object({ code: z.int().optional(), retry_after: z.number().optional() });

/**
 * Sends each message as embeds through a webhook of Discord. Discord may find an address invalid, such as one of this
 * machine: the message is then sent once more without links and pictures.
 */
const DISCORD: ChatVendor = {
  name: 'Discord',
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
  adviceOn({ status = 0 }) {
    if ([401, 403, 404].includes(status))
      return ': the webhook was deleted; create a new one and store its URL in the secret';
    return status === 400 ? ': the message is invalid, which is a bug in Deltawatch' : '';
  },
  simpler: (message, { status }) =>
    status === 400 && hasLinks(message) ? { message: withoutLinks(message), lacks: 'links' } : undefined,
};

export const createDiscordChannel = (options: ChatWebhookOptions) =>
  chatWebhook(DISCORD, { ...options, webhookUrl: addressOf(options.webhookUrl) });
export const open = opens(createDiscordChannel);

/**
 * Without `wait`, Discord also accepts messages that it then does not save. Without `with_components`, it ignores the
 * buttons. https://docs.discord.com/developers/resources/webhook#execute-webhook
 */
function addressOf(webhookUrl: string): string {
  if (!URL.canParse(webhookUrl)) return webhookUrl;
  const url = new URL(webhookUrl);
  url.searchParams.set('wait', 'true');
  url.searchParams.set('with_components', 'true');
  return url.href;
}

function hasLinks({ items, overviewUrl }: Message): boolean {
  return overviewUrl !== null || items.some(({ links }) => links !== null);
}

function withoutLinks(message: Message): Message {
  return { ...message, overviewUrl: null, items: message.items.map((item) => ({ ...item, links: null })) };
}
