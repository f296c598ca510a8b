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

/** `body`: shortened. `headers`: unless a client of the vendor made the request. */
export interface HttpAnswer {
  headers?: Headers;
  status: number;
  retryAfter: string | null;
  body: string;
}

/** Errors of vendors are shorter, and so is an issue with its transitions. */
const BODY_BYTES = 500_000;

/** Posts once, or gets without a body, and follows no redirects. `who`: as the refusal names it; `signal` may end the call earlier. */
export async function postTo(
  who: string,
  url: string,
  {
    body,
    headers,
    signal,
  }: { body?: string | undefined; headers: Record<string, string>; signal?: AbortSignal | undefined },
  { fetch: fetchFrom = fetch, timeoutMs = 10_000 }: HttpOptions,
): Promise<HttpAnswer | Refusal> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetchFrom(url, {
      ...{ redirect: 'manual', headers, ...(body === undefined ? {} : { method: 'POST', body }) },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    // Accepted by its status: a connection that breaks afterwards changes nothing.
    const { text } = await bodyText(response, BODY_BYTES).catch((error) =>
      response.ok ? { text: '' } : Promise.reject(error),
    );
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, headers: response.headers, retryAfter, body: text };
  } catch (error) {
    return refusedForNow(`${who} ${whyUnreachable(error, timeoutMs)}`);
  }
}
