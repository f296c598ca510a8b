import {
  type FetchFunction,
  IncomingWebhook,
  IncomingWebhookHTTPError,
  type IncomingWebhookSendArguments,
} from '@slack/webhook';
import { whyUnreachable } from '../../http/unreachable.ts';
import type { Channel, Refusal } from '../../messages/channel.ts';
import { type ChatVendor, type ChatWebhookOptions, chatWebhook } from '../chat-webhook.ts';
import type { ChannelDeps } from '../deps.ts';
import type { HttpAnswer, HttpOptions } from '../http-post.ts';
import { refusedForNow } from '../refusals.ts';
import { type SlackLayout, slackBlocks } from './blocks.ts';
import { createSlackBotChannel } from './bot-channel.ts';
import type { SlackSettings } from './config.ts';
import { adviceFrom, errorWordOf } from './web-api.ts';

export async function open(settings: SlackSettings, deps: ChannelDeps): Promise<Channel> {
  if ('webhook_secret' in settings)
    return createSlackChannel({
      ...settings,
      ...deps,
      webhookUrl: await deps.readSecret(settings.webhook_secret),
    });
  const { bot_token_secret, ...options } = settings;
  return createSlackBotChannel({ ...options, ...deps, token: await deps.readSecret(bot_token_secret) });
}

/** Sends messages through an incoming webhook. Slack rejects a message if it cannot fetch one of its images. */
export function createSlackChannel(options: ChatWebhookOptions & SlackLayout): Channel {
  const vendor: ChatVendor = {
    name: 'Slack',
    layout: (message) => ({ ...slackBlocks(message, options), unfurl_links: false }),
    post,
    verdictOn({ status, body }) {
      if (status >= 400) return { status, error: errorWordOf(body) };
      return status < 300 && body.trim() === 'ok' ? 'accepted' : 'foreign';
    },
    adviceOn: ({ error }) => adviceOn(error),
  };
  return chatWebhook(vendor, options);
}

/** Posts with the client of Slack. It drops the header of a rate limit, so each call reads its own response. */
async function post(
  url: string,
  payload: unknown,
  { fetch: fetchFrom = fetch, timeoutMs = 10_000 }: HttpOptions,
): Promise<HttpAnswer | Refusal> {
  let retryAfter: string | null = null;
  const watched: FetchFunction = async (input, init) => {
    const response = await fetchFrom(input, { ...init, redirect: 'manual' });
    retryAfter = response.headers.get('retry-after');
    return response;
  };
  try {
    const webhook = new IncomingWebhook(url, { fetch: watched, timeout: timeoutMs });
    const { text } = await webhook.send(payload as IncomingWebhookSendArguments);
    return { status: 200, retryAfter, body: text };
  } catch (error) {
    if (error instanceof IncomingWebhookHTTPError)
      return { status: error.statusCode, retryAfter, body: error.body };
    return refusedForNow(`Slack ${whyUnreachable(error, timeoutMs)}`);
  }
}

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors */
const adviceOn = adviceFrom({
  ': the webhook was removed or disabled; create a new one and store its URL in the secret':
    'no_active_hooks no_service no_service_id no_team invalid_token team_disabled',
  ': unarchive the channel, or create a webhook for another channel': 'channel_is_archived',
  ': the channel of the webhook is gone; create a webhook for another channel':
    'channel_not_found user_not_found',
  ': a workspace administrator does not allow this webhook to post there':
    'action_prohibited posting_to_general_channel_denied',
  ': the message is invalid, which is a bug in Deltawatch':
    'invalid_payload invalid_blocks invalid_attachments no_text',
});
