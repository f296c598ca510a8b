import { type FetchFunction, IncomingWebhook, IncomingWebhookHTTPError } from '@slack/webhook';
import type { Channel, SendResult } from '../alerting/ports.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import { retryAfterMs } from './retry-after.ts';
import { slackBlocks } from './slack-blocks.ts';
import { whyUnreachable } from './unreachable.ts';

export interface SlackChannelOptions {
  /** A secret: whoever has it can post. It appears in no result and no error. */
  webhookUrl: string;
  clock?: Clock;
  fetch?: FetchFunction;
  timeoutMs?: number;
}

/**
 * Sends messages to the channel behind an incoming webhook. A refusal of the whole webhook or message (4xx) is
 * permanent; a rate limit, an error of Slack's and silence are not. Throws `ConfigError` where the URL is none.
 */
export function createSlackChannel(options: SlackChannelOptions): Channel {
  const { webhookUrl, clock = systemClock, timeoutMs = 10_000 } = options;
  const fetchFrom: FetchFunction = options.fetch ?? fetch;
  if (!URL.canParse(webhookUrl)) throw new ConfigError('the Slack webhook is no URL; look at its secret');

  return {
    async send(message) {
      let retryAfter: string | null = null;
      // The client throws the header away, so each sending looks at its own answer.
      const watched: FetchFunction = async (url, init) => {
        const response = await fetchFrom(url, init);
        retryAfter = response.headers.get('retry-after');
        return response;
      };
      try {
        const webhook = new IncomingWebhook(webhookUrl, { fetch: watched, timeout: timeoutMs });
        const { text } = await webhook.send({ ...slackBlocks(message), unfurl_links: false });
        return text.trim() === 'ok'
          ? { kind: 'sent' }
          : refused('something other than Slack answered', false);
      } catch (error) {
        if (!(error instanceof IncomingWebhookHTTPError))
          return refused(`Slack ${whyUnreachable(error, timeoutMs)}`, false);
        return refusalOf(error, retryAfterMs(retryAfter, clock.now()));
      }
    },
  };
}

function refusalOf({ statusCode, body }: IncomingWebhookHTTPError, waitMs: number | undefined): SendResult {
  if (statusCode === 429)
    return {
      ...refused('Slack asks to send more slowly (429)', false),
      ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    };
  const word = errorWordOf(body);
  const said = word ? `${statusCode}, ${word}` : `${statusCode}`;
  if (statusCode >= 500) return refused(`Slack failed (${said})`, false);
  return refused(`Slack refused the message (${said})${adviceOn(word)}`, true);
}

/** Slack answers an error with one word; anything else may be a proxy's page and is not repeated. */
function errorWordOf(body: string): string | undefined {
  return /^[a-z][a-z0-9_]{2,60}$/.exec(body.trim())?.[0];
}

/** What a person can do: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors */
function adviceOn(word: string | undefined): string {
  switch (word) {
    case 'no_active_hooks':
    case 'no_service':
    case 'no_service_id':
    case 'no_team':
    case 'invalid_token':
    case 'team_disabled':
      return ': the webhook was removed or disabled; make a new one and store its URL in the secret';
    case 'channel_is_archived':
      return ': unarchive the channel or make a webhook for another one';
    case 'channel_not_found':
    case 'user_not_found':
      return ': the place the webhook posts to is gone; make a webhook for another one';
    case 'action_prohibited':
    case 'posting_to_general_channel_denied':
      return ': an administrator of the workspace forbids this webhook to post there';
    case 'invalid_payload':
    case 'invalid_blocks':
    case 'no_text':
      return ': the message itself is wrong, which is a fault of this program';
    default:
      return '';
  }
}

function refused(reason: string, permanent: boolean) {
  return { kind: 'refused', reason, permanent } as const;
}
