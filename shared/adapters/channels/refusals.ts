import type { Refusal } from '../../alerting/messages/channel.ts';
import { UpstreamError } from '../../runtime/errors.ts';
import { retryAfterMs } from '../http/retry-after.ts';

/** A refusal that may pass, after `waitMs` where the other side said so. */
export function refusedForNow(reason: string, waitMs?: number): Refusal {
  const wait = waitMs === undefined ? {} : { retryAfterMs: waitMs };
  return { kind: 'refused', reason, permanent: false, ...wait };
}

/** A refusal that lasts until a person changes something. */
export function refusedForGood(reason: string): Refusal {
  return { kind: 'refused', reason, permanent: true };
}

/** What an HTTP status says of an event that was posted; `undefined` where it was taken. */
export function refusalByStatus(
  who: string,
  { status, retryAfter, now }: { status: number; retryAfter: string | null; now: number },
): Refusal | undefined {
  if (status >= 200 && status < 300) return undefined;
  const wait = retryAfterMs(retryAfter, now);
  if (status === 429) return refusedForNow(`${who} asks to send more slowly (429)`, wait);
  if (status >= 500 || status === 408 || status === 425)
    return refusedForNow(`${who} failed (${status})`, wait);
  return refusedForGood(`${who} refused the message (${status})`);
}

/** What AWS did not take, as a refusal; all that is no answer of AWS is thrown on. */
export function refusalOfAws(error: unknown): Refusal {
  if (!(error instanceof UpstreamError)) throw error;
  return error.retryable ? refusedForNow(error.message) : refusedForGood(error.message);
}
