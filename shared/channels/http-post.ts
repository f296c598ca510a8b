import { bodyText } from '../http/body-text.ts';
import { whyUnreachable } from '../http/unreachable.ts';
import type { Refusal } from '../messages/channel.ts';
import type { Clock } from '../runtime/clock.ts';
import { refusedForNow } from './refusals.ts';

export interface HttpOptions {
  clock: Clock;
  /** By default that of the machine. */
  fetch?: typeof fetch | undefined;
  timeoutMs?: number | undefined;
}

/** `body`: shortened. */
export interface HttpAnswer {
  status: number;
  retryAfter: string | null;
  body: string;
}

/** Errors of vendors are shorter. */
const BODY_BYTES = 10_000;

/** Posts once, and follows no redirects. `who`: as the refusal names it; `signal` may end the call earlier. */
export async function postTo(
  who: string,
  url: string,
  {
    body,
    headers,
    signal,
  }: { body: string; headers: Record<string, string>; signal?: AbortSignal | undefined },
  { fetch: fetchFrom = fetch, timeoutMs = 10_000 }: HttpOptions,
): Promise<HttpAnswer | Refusal> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetchFrom(url, {
      ...{ method: 'POST', redirect: 'manual', headers, body },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    // Accepted by its status: a connection that breaks afterwards changes nothing.
    const { text } = await bodyText(response, BODY_BYTES).catch((error) =>
      response.ok ? { text: '' } : Promise.reject(error),
    );
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, body: text };
  } catch (error) {
    return refusedForNow(`${who} ${whyUnreachable(error, timeoutMs)}`);
  }
}
