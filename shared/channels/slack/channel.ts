import { type FetchFunction, IncomingWebhook, IncomingWebhookHTTPError } from '@slack/webhook';
import { retryAfterMs } from '../../http/retry-after.ts';
import { whyUnreachable } from '../../http/unreachable.ts';
import type { Channel, SendResult } from '../../messages/channel.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { ConfigError } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { ChannelDeps } from '../deps.ts';
import { refusedForGood, refusedForNow } from '../refusals.ts';
import { type SlackPayload, slackBlocks, withoutPictures } from './blocks.ts';
import { createSlackBotChannel } from './bot-channel.ts';
import type { Mention, SlackSettings } from './config.ts';
import { errorWordOf } from './error-word.ts';

export interface SlackChannelOptions {
  /** A secret: it allows posting. It appears in no result and no error. */
  webhookUrl: string;
  clock?: Clock;
  fetch?: FetchFunction;
  timeoutMs?: number;
  /** Whether a Slack app forwards its buttons to us; otherwise answers are links. */
  interactive?: boolean | undefined;
  mentions?: Mention[] | undefined;
  /** Called for messages that were sent without their pictures. */
  logger?: Pick<Logger, 'warn'>;
}

/** Slack's response to an attempt; `word`: the error name, if it is one of Slack's. */
interface Answer {
  result: SendResult;
  status?: number;
  word?: string | undefined;
}

export async function open(settings: SlackSettings, { readSecret, ...deps }: ChannelDeps): Promise<Channel> {
  const options = { interactive: settings.interactive, mentions: settings.mentions, ...deps };
  if ('webhook_secret' in settings)
    return createSlackChannel({ webhookUrl: await readSecret(settings.webhook_secret), ...options });
  const { bot_token_secret, channel } = settings;
  return createSlackBotChannel({ token: await readSecret(bot_token_secret), channel, ...options });
}

/**
 * Sends messages through an incoming webhook. A rejection of the webhook or the message (4xx) is permanent; rate
 * limits, Slack errors and timeouts are not. A message whose picture Slack may have rejected is sent once more without
 * it. Throws `ConfigError` for an invalid URL.
 */
export function createSlackChannel(options: SlackChannelOptions): Channel {
  const { webhookUrl, clock = systemClock, timeoutMs = 10_000 } = options;
  const fetchFrom: FetchFunction = options.fetch ?? fetch;
  if (!URL.canParse(webhookUrl)) throw new ConfigError('the Slack webhook is not a URL; check its secret');

  const post = async (payload: SlackPayload): Promise<Answer> => {
    let retryAfter: string | null = null;
    // The client drops the header, so each send reads its own response.
    const watched: FetchFunction = async (url, init) => {
      const response = await fetchFrom(url, init);
      retryAfter = response.headers.get('retry-after');
      return response;
    };
    try {
      const webhook = new IncomingWebhook(webhookUrl, { fetch: watched, timeout: timeoutMs });
      const { text } = await webhook.send({ ...payload, unfurl_links: false });
      const isSlacks = text.trim() === 'ok';
      return { result: isSlacks ? { kind: 'sent' } : refusedForNow('something other than Slack answered') };
    } catch (error) {
      if (error instanceof IncomingWebhookHTTPError)
        return answerOf(error, retryAfterMs(retryAfter, clock.now()));
      return { result: refusedForNow(`Slack ${whyUnreachable(error, timeoutMs)}`) };
    }
  };

  return {
    async send(message) {
      const payload = slackBlocks(message, options);
      const { result, status, word } = await post(payload);
      if (result.kind === 'sent' || !mayBeItsPicture(payload, status, word)) return result;
      options.logger?.warn('a message is sent without its pictures', { reason: result.reason });
      return (await post(withoutPictures(payload))).result;
    },
  };
}

/** Slack rejects a message if it cannot fetch one of its images, and does not always give the reason. */
function mayBeItsPicture({ blocks }: SlackPayload, status?: number, word?: string): boolean {
  const hasPicture = blocks.some(({ type }) => type === 'image');
  return hasPicture && status === 400 && (word === undefined || word.startsWith('invalid_'));
}

function answerOf({ statusCode: status, body }: IncomingWebhookHTTPError, waitMs?: number): Answer {
  if (status === 429) return { status, result: refusedForNow('Slack is rate limiting (429)', waitMs) };
  const word = errorWordOf(body);
  const said = word ? `${status}, ${word}` : `${status}`;
  if (status >= 500) return { status, word, result: refusedForNow(`Slack failed (${said})`, waitMs) };
  const reason = `Slack refused the message (${said})${adviceOn(word)}`;
  return { status, word, result: refusedForGood(reason) };
}

/**
 * What to do about an error: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors
 */
function adviceOn(word: string | undefined): string {
  switch (word) {
    case 'no_active_hooks':
    case 'no_service':
    case 'no_service_id':
    case 'no_team':
    case 'invalid_token':
    case 'team_disabled':
      return ': the webhook was removed or disabled; create a new one and store its URL in the secret';
    case 'channel_is_archived':
      return ': unarchive the channel, or create a webhook for another channel';
    case 'channel_not_found':
    case 'user_not_found':
      return ': the channel of the webhook is gone; create a webhook for another channel';
    case 'action_prohibited':
    case 'posting_to_general_channel_denied':
      return ': a workspace administrator does not allow this webhook to post there';
    case 'invalid_payload':
    case 'invalid_blocks':
    case 'invalid_attachments':
    case 'no_text':
      return ': the message is invalid, which is a bug in Deltawatch';
    default:
      return '';
  }
}
