import type { Channel, Refusal, SendResult } from '../messages/channel.ts';
import type { Message } from '../messages/message.ts';
import { ConfigError } from '../runtime/errors.ts';
import { hasPictures, withoutPictures } from './chat-layout.ts';
import type { ChannelDeps } from './deps.ts';
import { type HttpAnswer, type HttpOptions, postTo } from './http-post.ts';
import { refusalByStatus, refusedForNow } from './refusals.ts';

/** How a chat takes messages at a webhook whose URL is a secret. */
export interface ChatVendor {
  name: string;
  /** The URL to post to, if it is not the one of the webhook. */
  addressOf?(webhookUrl: string): string;
  /** The JSON to post. */
  layout(message: Message): unknown;
  /** Posts with a client of the vendor; by default with fetch. */
  post?(url: string, payload: unknown, options: HttpOptions): Promise<HttpAnswer | Refusal>;
  /** What its answer means; `foreign`: it is from something else, such as a proxy. */
  verdictOn(answer: HttpAnswer): 'accepted' | 'foreign' | WebhookFailure;
  /** What a person can do about an error. */
  adviceOn(failure: WebhookFailure): string;
}

/**
 * `error`: the vendor's name of the error. Never a text of its own: it
 * may be a proxy's page, or hold the URL. `retryAfter`: in seconds, if the vendor does not say it in the header.
 */
interface WebhookFailure {
  status: number;
  error?: string | undefined;
  retryAfter?: string | undefined;
}

/** `webhookUrl`: a secret, as it allows posting. It appears in no result and no error. */
export type ChatWebhookOptions = HttpOptions & { webhookUrl: string; logger?: ChannelDeps['logger'] };

/** Opens a channel whose only setting is the secret with the URL. */
export function opens(vendor: ChatVendor) {
  return async ({ webhook_secret }: { webhook_secret: string }, deps: ChannelDeps): Promise<Channel> =>
    chatWebhook(vendor, { ...deps, webhookUrl: await deps.readSecret(webhook_secret) });
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };

/**
 * A channel that posts each message once. One that is found invalid is sent once more without its pictures: the vendor may
 * not be able to fetch them, and does not always say so. Throws `ConfigError` for an invalid URL.
 */
export function chatWebhook(vendor: ChatVendor, options: ChatWebhookOptions): Channel {
  const { webhookUrl, clock, logger } = options;
  const { name } = vendor;
  if (!URL.canParse(webhookUrl)) throw new ConfigError(`the ${name} webhook is not a URL; check its secret`);
  const address = vendor.addressOf?.(webhookUrl) ?? webhookUrl;

  const sendOnce = async (message: Message): Promise<{ result: SendResult; failure?: WebhookFailure }> => {
    const payload = vendor.layout(message);
    const answer = vendor.post
      ? await vendor.post(address, payload, options)
      : await postTo(name, address, { body: JSON.stringify(payload), headers: JSON_HEADERS }, options);
    if ('kind' in answer) return { result: answer };
    const verdict = vendor.verdictOn(answer);
    if (verdict === 'accepted') return { result: { kind: 'sent' } };
    if (verdict === 'foreign') return { result: refusedForNow(`something other than ${name} answered`) };
    const about = { retryAfter: answer.retryAfter, ...verdict, advice: vendor.adviceOn(verdict) };
    return { result: refusalByStatus(name, about, clock.now()), failure: verdict };
  };

  return {
    async send(message) {
      const { result, failure } = await sendOnce(message);
      if (result.kind !== 'refused' || failure?.status !== 400 || !hasPictures(message)) return result;
      logger?.warn('a message is sent without its pictures', { reason: result.reason });
      return (await sendOnce(withoutPictures(message))).result;
    },
  };
}
