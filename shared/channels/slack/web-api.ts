import * as z from 'zod';
import type { Refusal } from '../../messages/channel.ts';
import { jsonIn } from '../../text/json.ts';
import { type HttpOptions, postTo } from '../http-post.ts';
import { refusalByStatus, refusedForGood, refusedForNow } from '../refusals.ts';

export interface WebApiOptions extends HttpOptions {
  /** A bot token: a secret. It appears in no refusal. */
  token: string;
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

const answerSchema = z.union([
  z.object({ ok: z.literal(true), ts: z.string() }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);

export function slackWebApi(options: WebApiOptions): CallSlack {
  const { token, clock, address = 'https://slack.com/api/' } = options;
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    Authorization: `Bearer ${token.trim()}`,
  };
  return async (method, payload, signal) => {
    const form = Object.entries(payload).map(([key, value]) => [
      ...[key, typeof value === 'string' ? value : JSON.stringify(value)],
    ]);
    const body = String(new URLSearchParams(Object.fromEntries(form)));
    const answer = await postTo('Slack', `${address}${method}`, { body, headers, signal }, options);
    if ('kind' in answer) return { kind: 'refused', refusal: answer };
    if (answer.status >= 400)
      return { kind: 'refused', refusal: refusalByStatus('Slack', answer, clock.now()) };
    const { data } = answerSchema.safeParse(jsonIn(answer.body));
    if (data?.ok) return { kind: 'done', message: data.ts };
    return refusedWith(data?.error ?? '');
  };
}

/** Slack answers 200 with `ok: false` and a word. */
function refusedWith(said: string): Called {
  const error = errorWordOf(said);
  if (error === undefined)
    return { kind: 'refused', refusal: refusedForNow('something other than Slack answered') };
  if (error === 'ratelimited' || error === 'rate_limited')
    return { kind: 'refused', error, refusal: refusedForNow(`Slack is rate limiting (${error})`) };
  const refusal = TEMPORARY.has(error)
    ? refusedForNow(`Slack failed (${error})`)
    : refusedForGood(`Slack refused the message (${error})${adviceOn(error)}`);
  return { kind: 'refused', error, refusal };
}

const TEMPORARY = new Set([
  ...['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'team_added_to_org'],
  ...['message_limit_exceeded', 'external_channel_migrating'],
]);

/** What to do about an error: https://docs.slack.dev/reference/methods/chat.postMessage#errors */
const adviceOn = adviceFrom({
  ': the bot token is not valid; store the token of the installed app in the secret':
    'invalid_auth not_authed account_inactive token_revoked token_expired not_allowed_token_type',
  ': give the Slack app the scope chat:write, and install it again': 'missing_scope',
  ': the bot is not in the channel; invite it with /invite': 'not_in_channel',
  ': there is no such channel, or it is private; correct "channel", or invite the bot with /invite':
    'channel_not_found',
  ': unarchive the channel, or name another': 'is_archived',
  ': a workspace administrator does not allow this bot to post there':
    'restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel access_denied no_permission',
  ': the message is invalid, which is a bug in Deltawatch':
    'msg_too_long msg_blocks_too_long invalid_blocks invalid_blocks_format invalid_arguments no_text',
});

/** Slack names an error with one word. Anything else may be a proxy's page and is not repeated. */
export function errorWordOf(body: string): string | undefined {
  return /^[a-z][a-z0-9_]{2,60}$/.exec(body.trim())?.[0];
}

/** What to do about an error word. `table`: the words of each advice. */
export function adviceFrom(table: Readonly<Record<string, string>>): (word: string | undefined) => string {
  const advice = Object.entries(table);
  return (word = '') => advice.find(([, words]) => words.split(' ').includes(word))?.[0] ?? '';
}
