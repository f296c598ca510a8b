import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { Millis } from '../../runtime/clock.ts';

/** Older requests may be repeated ones. */
const LATEST_MS = 5 * 60_000;

/** Slack waits three seconds for all of it. */
const PATIENCE_MS = 1_500;

const FORM = /^v0=[0-9a-f]{64}$/;

export interface SignedRequest {
  /** The headers `X-Slack-Request-Timestamp` and `X-Slack-Signature`. */
  timestamp: string | undefined;
  signature: string | undefined;
  /** As it came, byte by byte. */
  body: string;
}

/**
 * Whether Slack sent this, and just now: signed as "v0" with the secret of our app. A newline at the end of the secret,
 * which whoever put it there did not see, is none of it.
 */
export function isFromSlack(
  { timestamp = '', signature = '', body }: SignedRequest,
  secret: string,
  now: Millis,
): boolean {
  // Anybody can sign with an empty key.
  if (secret.trim() === '') return false;
  if (!FORM.test(signature) || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now - Number(timestamp) * 1000) > LATEST_MS) return false;
  const expected = `v0=${createHmac('sha256', secret.trim()).update(`v0:${timestamp}:${body}`).digest('hex')}`;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
}

const addressSchema = z.url({ protocol: /^https$/, hostname: /^hooks\.slack\.com$/ });

/**
 * Tells whoever pressed a button what came of it. `to` is the address that came with the press: of Slack, or nothing is
 * sent. `false` where it did not arrive; the press has done what it does all the same.
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
