import {
  type FetchFunction,
  LogLevel,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRequestError,
  WebClient,
} from '@slack/web-api';
import * as z from 'zod';
import { retryAfterMs } from '../../http/retry-after.ts';
import { whyUnreachable } from '../../http/unreachable.ts';
import type { Refusal } from '../../messages/channel.ts';
import type { Clock } from '../../runtime/clock.ts';
import { refusalByStatus, refusedForGood, refusedForNow } from '../refusals.ts';
import { errorWordOf } from './error-word.ts';

export interface WebApiOptions {
  /** A bot token: a secret. It appears in no refusal. */
  token: string;
  clock: Clock;
  timeoutMs: number;
  fetch?: FetchFunction | undefined;
  /** Replaces https://slack.com/api/. */
  address?: string | undefined;
}

/** `error`: the word with which Slack refused the call; absent for failures of the network or a proxy. */
export type Called =
  | { kind: 'done'; message: string }
  | { kind: 'refused'; refusal: Refusal; error?: string | undefined };

/** Calls one method of Slack's Web API, once: who sends messages decides about retries. `signal` may end it earlier. */
export type CallSlack = (
  method: 'chat.postMessage' | 'chat.update',
  payload: Record<string, unknown>,
  signal?: AbortSignal,
) => Promise<Called>;

const answerSchema = z.object({ ts: z.string() });

export function slackWebApi(options: WebApiOptions): CallSlack {
  const { token, clock, timeoutMs, address } = options;
  const fetchFrom: FetchFunction = options.fetch ?? fetch;
  return async (method, payload, signal) => {
    let limited: { retryAfter: string | null } | undefined;
    // The client cannot parse a date in the header. Without the header it throws an untyped error.
    const watched: FetchFunction = async (url, init) => {
      const signals = [init?.signal, signal].filter((each) => each != null);
      const response = await fetchFrom(url, { ...init, signal: AbortSignal.any(signals) });
      if (response.status === 429) limited = { retryAfter: response.headers.get('retry-after') };
      return response;
    };
    const client = new WebClient(token.trim(), {
      ...{ fetch: watched, timeout: timeoutMs, logger: SILENT, allowAbsoluteUrls: false },
      ...{ retryConfig: { retries: 0 }, rejectRateLimitedCalls: true },
      ...(address && { slackApiUrl: address }),
    });
    try {
      const answer = answerSchema.safeParse(await client.apiCall(method, payload));
      if (answer.success) return { kind: 'done', message: answer.data.ts };
      return { kind: 'refused', refusal: refusedForNow('something other than Slack answered') };
    } catch (error) {
      const now = clock.now();
      if (limited) return { kind: 'refused', refusal: busy(429, retryAfterMs(limited.retryAfter, now)) };
      if (error instanceof WebAPIPlatformError) return refusedWith(error.data.error);
      if (error instanceof WebAPIHTTPError) {
        const { statusCode: status, headers } = error;
        const retryAfter = headers['retry-after'] ?? null;
        const refusal = refusalByStatus('Slack', { status, retryAfter }, now);
        return { kind: 'refused', refusal: refusal ?? refusedForNow(`Slack failed (${status})`) };
      }
      const cause = error instanceof WebAPIRequestError ? error.original : error;
      return { kind: 'refused', refusal: refusedForNow(`Slack ${whyUnreachable(cause, timeoutMs)}`) };
    }
  };
}

/** Slack answers 200 with `ok: false` and a word. A page of a proxy is no word, and is not repeated. */
function refusedWith(said: string): Called {
  const error = errorWordOf(said);
  if (error === undefined)
    return { kind: 'refused', refusal: refusedForNow('something other than Slack answered') };
  if (error === 'ratelimited' || error === 'rate_limited')
    return { kind: 'refused', error, refusal: busy(error) };
  const refusal = TEMPORARY.has(error)
    ? refusedForNow(`Slack failed (${error})`)
    : refusedForGood(`Slack refused the message (${error})${adviceOn(error)}`);
  return { kind: 'refused', error, refusal };
}

function busy(what: number | string, waitMs?: number): Refusal {
  return refusedForNow(`Slack is rate limiting (${what})`, waitMs);
}

const TEMPORARY = new Set([
  ...['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'team_added_to_org'],
  ...['message_limit_exceeded', 'external_channel_migrating'],
]);

/** What to do about an error: https://docs.slack.dev/reference/methods/chat.postMessage#errors */
function adviceOn(error: string): string {
  switch (error) {
    case 'invalid_auth':
    case 'not_authed':
    case 'account_inactive':
    case 'token_revoked':
    case 'token_expired':
    case 'not_allowed_token_type':
      return ': the bot token is not valid; store the token of the installed app in the secret';
    case 'missing_scope':
      return ': give the Slack app the scope chat:write, and install it again';
    case 'not_in_channel':
      return ': the bot is not in the channel; invite it with /invite';
    case 'channel_not_found':
      return ': there is no such channel, or it is private; correct "channel", or invite the bot with /invite';
    case 'is_archived':
      return ': unarchive the channel, or name another';
    case 'restricted_action':
    case 'restricted_action_read_only_channel':
    case 'restricted_action_thread_only_channel':
    case 'access_denied':
    case 'no_permission':
      return ': a workspace administrator does not allow this bot to post there';
    case 'msg_too_long':
    case 'msg_blocks_too_long':
    case 'invalid_blocks':
    case 'invalid_blocks_format':
    case 'invalid_arguments':
    case 'no_text':
      return ': the message is invalid, which is a bug in Deltawatch';
    default:
      return '';
  }
}

/** Refusals say what is wrong; what the client logs may contain the message. */
const SILENT = {
  ...{ debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  ...{ setLevel: () => {}, getLevel: () => LogLevel.ERROR, setName: () => {} },
};
