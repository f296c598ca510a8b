import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest, Agent as TlsAgent } from 'node:https';
import { RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { Webhook } from 'standardwebhooks';
import { whyUnreachable } from '../../http/unreachable.ts';
import type { Channel, Refusal } from '../../messages/channel.ts';
import { type Message, messageIdOf } from '../../messages/message.ts';
import { ConfigError } from '../../runtime/errors.ts';
import type { ChannelDeps } from '../deps.ts';
import { within } from '../outgoing-text.ts';
import { type WebhookBody, webhookItem } from '../published-alert.ts';
import { refusalByStatus, refusedForGood, refusedForNow } from '../refusals.ts';
import type { WebhookSettings } from './config.ts';

/** Maximum number and total size of the items in one body. */
const LIMITS = { items: 500, bytes: 1024 * 1024, text: 3000 } as const;

/** Minimum key length of Standard Webhooks. */
const KEY_BYTES = 24;

/**
 * Posts messages as JSON signed by https://www.standardwebhooks.com. A 2xx response means delivered; its body is not
 * read. Redirects are not followed. Private addresses are refused: each resolved address is checked on connect. Throws
 * `ConfigError` for an invalid URL or key.
 */
export async function open(
  { url_secret, signing_secret, allow_private: allowPrivate = false }: WebhookSettings,
  { readSecret, clock, timeoutMs = 10_000 }: ChannelDeps,
): Promise<Channel> {
  const [address, key] = await Promise.all([readSecret(url_secret), readSecret(signing_secret)]);
  const url = addressOf(address, allowPrivate);
  const signer = signerOf(key);

  return {
    async send(message) {
      const id = `msg_${messageIdOf(message)}`;
      const sentAt = new Date(clock.now());
      const body = bodyOf(message);
      const headers = {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'User-Agent': 'Deltawatch',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
        'webhook-signature': signer.sign(id, sentAt, body),
      };
      try {
        const signal = AbortSignal.timeout(timeoutMs);
        const agent = agentFor(url, allowPrivate);
        const answer = await post(url, body, { method: 'POST', headers, agent, signal });
        return refusalOf(answer, clock.now()) ?? { kind: 'sent' };
      } catch (error) {
        if (isForbidden(error)) return refusedForGood(PRIVATE);
        return refusedForNow(`the webhook ${whyUnreachable(error, timeoutMs)}`);
      }
    },
  };
}

const PRIVATE = 'the webhook URL resolves to a private address; set allow_private: true to allow it';

function addressOf(text: string, allowPrivate: boolean): URL {
  if (!URL.canParse(text)) throw new ConfigError('the webhook URL is invalid; check its secret');
  const url = new URL(text);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && allowPrivate)) return url;
  throw new ConfigError('the webhook URL must start with https://; check its secret');
}

function signerOf(secret: string): Webhook {
  const key = secret.replace(/^whsec_/, '');
  if (
    !/^[0-9A-Za-z+/]+={0,2}$/.test(key) ||
    key.length % 4 > 0 ||
    Buffer.from(key, 'base64').length < KEY_BYTES
  )
    throw new ConfigError(
      `the signing key of the webhook must be "whsec_" and ${KEY_BYTES} bytes or more in base64, such as openssl rand -base64 32 makes`,
    );
  return new Webhook(secret);
}

function bodyOf({ text, title, severity, overviewUrl, items }: Message): string {
  const shown: WebhookBody['items'] = [];
  let bytes = 0;
  for (const item of items.slice(0, LIMITS.items)) {
    const published = webhookItem(item);
    bytes += Buffer.byteLength(JSON.stringify(published));
    if (shown.length > 0 && bytes > LIMITS.bytes) break;
    shown.push(published);
  }
  const body: WebhookBody = {
    version: 1,
    text: within(LIMITS.text, text),
    title: within(LIMITS.text, title),
    severity,
    overviewUrl,
    items: shown,
    more: items.length - shown.length,
  };
  return JSON.stringify(body);
}

/** The agent takes these deprecated forms of IPv4 addresses, such as ::127.0.0.1, for public ones. */
const IPV4_COMPATIBLE = ['::/96'];

/** One connection per message: an address checked yesterday may belong to another host today. */
function agentFor({ protocol }: URL, allowPrivate: boolean): Agent {
  if (!allowPrivate)
    return new RequestFilteringHttpsAgent({ keepAlive: false, denyIPAddressList: IPV4_COMPATIBLE });
  return protocol === 'https:' ? new TlsAgent({ keepAlive: false }) : new Agent({ keepAlive: false });
}

/** Resolves with the response head and does not wait for the body. */
function post(url: URL, body: string, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, options, (response) => {
      response.on('error', () => {});
      resolve(response);
      response.destroy();
    });
    request.on('error', reject);
    request.end(body);
  });
}

function refusalOf({ statusCode: status = 0, headers }: IncomingMessage, now: number): Refusal | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400)
    return refusedForGood(
      `the webhook answered with a redirect (${status}), which is not followed; store the final URL in the secret`,
    );
  if (status === 410)
    return refusedForGood(
      'the webhook is gone (410); create a new one, or remove the channel from its routes',
    );
  return refusalByStatus('the webhook', { status, retryAfter: headers['retry-after'] }, now);
}

/** The agent has no error code of its own for a refused address. */
function isForbidden(error: unknown): boolean {
  return error instanceof Error && /^DNS lookup .* is not allowed/.test(error.message);
}
