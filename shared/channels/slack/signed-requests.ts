import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { Clock, Millis } from '../../runtime/clock.ts';

/** Older requests may be replays. */
const LATEST_MS = 5 * 60_000;

/** Slack waits three seconds for the whole response. */
const PATIENCE_MS = 1_500;

const FORM = /^v0=[0-9a-f]{64}$/;

export interface SignedRequest {
  /** The headers `X-Slack-Request-Timestamp` and `X-Slack-Signature`. */
  timestamp: string | undefined;
  signature: string | undefined;
  /** The raw body, unchanged. */
  body: string;
}

/**
 * Whether Slack sent this recently: a "v0" signature with the app's signing secret. A trailing newline in the secret
 * is ignored, as it is invisible to the person who stored it.
 */
export function isFromSlack(
  { timestamp = '', signature = '', body }: SignedRequest,
  secret: string,
  now: Millis,
): boolean {
  // An empty key would let anyone sign.
  if (secret.trim() === '') return false;
  if (!FORM.test(signature) || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now - Number(timestamp) * 1000) > LATEST_MS) return false;
  const expected = `v0=${createHmac('sha256', secret.trim()).update(`v0:${timestamp}:${body}`).digest('hex')}`;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
}

const addressSchema = z.url({ protocol: /^https$/, hostname: /^hooks\.slack\.com$/ });

/**
 * Reports the outcome to the person who pressed a button. `to`: the response URL of the press; nothing is sent unless
 * it is Slack's. Returns `false` if the report was not delivered; the answer stands.
 */
export async function replyOnSlack(to: string, text: string, send: typeof fetch = fetch): Promise<boolean> {
  if (!addressSchema.safeParse(to).success) return false;
  const reply = { response_type: 'ephemeral', replace_original: false, text };
  try {
    const answer = await send(to, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      body: JSON.stringify(reply),
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

/** Verifies requests of the app with this signing secret, and replies to them. */
export function slackApp(readSecret: () => Promise<string>, clock: Clock) {
  return {
    isGenuine: async (request: SignedRequest) => isFromSlack(request, await readSecret(), clock.now()),
    reply: (to: string, text: string) => replyOnSlack(to, text),
  };
}
