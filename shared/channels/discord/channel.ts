import * as z from 'zod';
import type { Channel, Refusal, SendResult } from '../../messages/channel.ts';
import type { Message } from '../../messages/message.ts';
import type { Clock } from '../../runtime/clock.ts';
import { ConfigError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { ChannelDeps } from '../deps.ts';
import type { SettingsOf } from '../kinds.ts';
import { refusalByStatus, refusedForGood, refusedForNow } from '../refusals.ts';
import { type SecretWebhookOptions, secretWebhook, type WebhookAnswer } from '../secret-webhook.ts';
import { discordMessage } from './embeds.ts';

export interface DiscordChannelOptions extends SecretWebhookOptions {
  /** Called for messages that were sent without their links. */
  logger?: Pick<Logger, 'warn'>;
}

export async function open(
  { webhook_secret }: SettingsOf<'discord'>,
  { readSecret, ...deps }: ChannelDeps,
): Promise<Channel> {
  return createDiscordChannel({ webhookUrl: await readSecret(webhook_secret), ...deps });
}

/**
 * Sends each message as embeds through a webhook of Discord. Discord may find an address invalid, such as one of this
 * machine: the message is then sent once more without links and pictures. Throws `ConfigError` for an invalid URL.
 */
export function createDiscordChannel(options: DiscordChannelOptions): Channel {
  const post = secretWebhook('Discord', { ...options, webhookUrl: addressOf(options.webhookUrl) });
  const sendOnce = async (message: Message): Promise<{ result: SendResult; status?: number }> => {
    const answer = await post(discordMessage(message));
    if (answer.kind === 'refused') return { result: answer };
    return { result: refusalOf(answer, options.clock) ?? { kind: 'sent' }, status: answer.status };
  };
  return {
    async send(message) {
      const { result, status } = await sendOnce(message);
      if (result.kind !== 'refused' || status !== 400 || !hasLinks(message)) return result;
      options.logger?.warn('a message is sent without its links', { reason: result.reason });
      return (await sendOnce(withoutLinks(message))).result;
    },
  };
}

/**
 * Without `wait`, Discord also accepts messages that it then does not save. Without `with_components`, it ignores the
 * buttons. https://docs.discord.com/developers/resources/webhook#execute-webhook
 */
function addressOf(webhookUrl: string): string {
  if (!URL.canParse(webhookUrl)) throw new ConfigError('the Discord webhook is not a URL; check its secret');
  const url = new URL(webhookUrl);
  url.searchParams.set('wait', 'true');
  url.searchParams.set('with_components', 'true');
  return url.href;
}

function hasLinks({ items, overviewUrl }: Message): boolean {
  return overviewUrl !== null || items.some(({ links }) => links !== null);
}

function withoutLinks(message: Message): Message {
  return {
    ...message,
    overviewUrl: null,
    items: message.items.map((item) => ({ ...item, links: null })),
  };
}

/** `retry_after` is in seconds: https://docs.discord.com/developers/topics/rate-limits */
const errorSchema = z.object({ code: z.int().optional(), retry_after: z.number().optional() });

function refusalOf({ status, retryAfter, body }: WebhookAnswer, clock: Clock): Refusal | undefined {
  const error = errorSchema.catch({}).parse(jsonIn(body));
  if (status === 200 || status === 204) return undefined;
  if (status < 400) return refusedForNow('something other than Discord answered');
  const wait = error.retry_after === undefined ? retryAfter : String(error.retry_after);
  const refusal = refusalByStatus('Discord', { status, retryAfter: wait, now: clock.now() });
  if (!refusal?.permanent) return refusal;
  const said = error.code === undefined ? `${status}` : `${status}, code ${error.code}`;
  return refusedForGood(`Discord refused the message (${said})${adviceOn(status)}`);
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}

function adviceOn(status: number): string {
  if ([401, 403, 404].includes(status))
    return ': the webhook was deleted; create a new one and store its URL in the secret';
  return status === 400 ? ': the message is invalid, which is a bug in Deltawatch' : '';
}
