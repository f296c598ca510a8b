import { whyUnreachable } from '../http/unreachable.ts';
import type { Channel, Refusal, SendResult } from '../messages/channel.ts';
import type { Message } from '../messages/message.ts';
import { ConfigError } from '../runtime/errors.ts';
import type { ChannelDeps } from './deps.ts';
import { refusalByStatus, refusedForNow } from './refusals.ts';

/** How a chat takes messages at a webhook whose URL is a secret. */
export interface ChatVendor {
  name: string;
  /** The JSON to post. */
  layout(message: Message): unknown;
  /** What its answer means; `foreign`: it is from something else, such as a proxy. */
  verdictOn(answer: WebhookAnswer): 'accepted' | 'foreign' | WebhookFailure;
  /** What a person can do about an error. */
  adviceOn(failure: WebhookFailure): string;
  /** The message to send once more after this failure, and what it lacks. */
  simpler?(message: Message, failure: WebhookFailure): { message: Message; lacks: string } | undefined;
}

/** `body`: shortened. */
export interface WebhookAnswer {
  status: number;
  body: string;
}

/**
 * `status`: as the vendor gives it, if it gives one. `error`: the vendor's name of the error. Never a text of its own: it
 * may be a proxy's page, or hold the URL. `retryAfter`: in seconds, if the vendor does not say it in the header.
 */
export interface WebhookFailure {
  status: number | undefined;
  error?: string | undefined;
  retryAfter?: string | undefined;
}

export interface ChatWebhookOptions extends Pick<ChannelDeps, 'clock' | 'fetch'> {
  /** A secret: it allows posting. It appears in no result and no error. */
  webhookUrl: string;
  /** Called for messages that were sent without some of their parts. */
  logger?: ChannelDeps['logger'];
  timeoutMs?: number;
}

/** Opens a channel whose configuration names the secret with the URL. */
export function opens<Settings extends { webhook_secret: string }>(
  create: (options: ChatWebhookOptions & Settings) => Channel,
): (settings: Settings, deps: ChannelDeps) => Promise<Channel> {
  return async (settings, { readSecret, ...deps }) =>
    create({ ...settings, ...deps, webhookUrl: await readSecret(settings.webhook_secret) });
}

/** A channel that posts each message once. Throws `ConfigError` for an invalid URL. */
export function chatWebhook(vendor: ChatVendor, options: ChatWebhookOptions): Channel {
  const { webhookUrl, clock, logger } = options;
  if (!URL.canParse(webhookUrl))
    throw new ConfigError(`the ${vendor.name} webhook is not a URL; check its secret`);
  const sendOnce = async (message: Message): Promise<{ result: SendResult; failure?: WebhookFailure }> => {
    const answer = await post(vendor, vendor.layout(message), options);
    if ('kind' in answer) return { result: answer };
    const verdict = vendor.verdictOn(answer);
    if (verdict === 'accepted') return { result: { kind: 'sent' } };
    if (verdict === 'foreign')
      return { result: refusedForNow(`something other than ${vendor.name} answered`) };
    return { result: refusalOf(verdict, answer.retryAfter), failure: verdict };
  };
  const refusalOf = (failure: WebhookFailure, retryAfter: string | null): Refusal => {
    const { status } = failure;
    const unclear = refusedForNow(`${vendor.name} failed, and gives no status`);
    if (status === undefined) return unclear;
    const about = { retryAfter, ...failure, status, advice: vendor.adviceOn(failure) };
    return refusalByStatus(vendor.name, about, clock.now()) ?? unclear;
  };
  return {
    async send(message) {
      const { result, failure } = await sendOnce(message);
      const simpler = failure && vendor.simpler?.(message, failure);
      if (result.kind !== 'refused' || !simpler) return result;
      logger?.warn(`a message is sent without its ${simpler.lacks}`, { reason: result.reason });
      return (await sendOnce(simpler.message)).result;
    },
  };
}

/** Errors of vendors are shorter. */
const BODY_CHARACTERS = 10_000;

/** Redirects are not followed. */
async function post(
  { name }: ChatVendor,
  body: unknown,
  { webhookUrl, fetch: fetchFrom = fetch, timeoutMs = 10_000 }: ChatWebhookOptions,
): Promise<(WebhookAnswer & { retryAfter: string | null }) | Refusal> {
  try {
    const response = await fetchFrom(webhookUrl, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    // Accepted by its status: a connection that breaks afterwards changes nothing.
    const text = await response.text().catch((error) => (response.ok ? '' : Promise.reject(error)));
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, body: text.slice(0, BODY_CHARACTERS) };
  } catch (error) {
    return refusedForNow(`${name} ${whyUnreachable(error, timeoutMs)}`);
  }
}

/** The JSON of an answer; `undefined` for any other text. */
export function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
