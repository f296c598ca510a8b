import { whyUnreachable } from '../http/unreachable.ts';
import type { Refusal } from '../messages/channel.ts';
import type { Clock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import { refusedForNow } from './refusals.ts';

export interface SecretWebhookOptions {
  /** A secret: it allows posting. It appears in no result and no error. */
  webhookUrl: string;
  clock: Clock;
  fetch?: typeof fetch;
  timeoutMs?: number;
}

/** The answer of a webhook; its `body` is shortened. */
export interface WebhookAnswer {
  kind: 'answered';
  status: number;
  retryAfter: string | null;
  body: string;
}

/** Errors of vendors are shorter. */
const BODY_CHARACTERS = 10_000;

/**
 * A function that posts JSON to a webhook of `vendor` whose URL is a secret. Redirects are not followed. Throws
 * `ConfigError` for an invalid URL.
 */
export function secretWebhook(
  vendor: string,
  { webhookUrl, fetch: fetchFrom = fetch, timeoutMs = 10_000 }: SecretWebhookOptions,
): (body: unknown) => Promise<WebhookAnswer | Refusal> {
  if (!URL.canParse(webhookUrl))
    throw new ConfigError(`the ${vendor} webhook is not a URL; check its secret`);
  return async (body) => {
    try {
      const response = await fetchFrom(webhookUrl, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const { status, headers } = response;
      // Accepted by its status: a connection that breaks afterwards changes nothing.
      const text = await response.text().catch((error) => (response.ok ? '' : Promise.reject(error)));
      const retryAfter = headers.get('retry-after');
      return { kind: 'answered', status, retryAfter, body: text.slice(0, BODY_CHARACTERS) };
    } catch (error) {
      return refusedForNow(`${vendor} ${whyUnreachable(error, timeoutMs)}`);
    }
  };
}
