import { retryAfterMs } from '../http/retry-after.ts';
import type { Refusal } from '../messages/channel.ts';

/** A temporary refusal; `waitMs` if the service asked for a wait. */
export function refusedForNow(reason: string, waitMs?: number): Refusal {
  return { kind: 'refused', reason, permanent: false, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
}

/** A permanent refusal: a person must change something. */
export function refusedForGood(reason: string): Refusal {
  return { kind: 'refused', reason, permanent: true };
}

/** A status, what the service names the error, and what to do about it. */
export interface FailedStatus {
  status: number;
  error?: string | undefined;
  retryAfter?: string | null | undefined;
  advice?: string;
}

/** The refusal that an HTTP status means, which is not one of success. */
export function refusalByStatus(
  who: string,
  { status, error, retryAfter = null, advice = '' }: FailedStatus,
  now: number,
): Refusal {
  const wait = retryAfterMs(retryAfter, now);
  if (status === 429) return refusedForNow(`${who} is rate limiting (429)`, wait);
  const said = error === undefined ? `${status}` : `${status}, ${error}`;
  if (status >= 500 || status === 408 || status === 425)
    return refusedForNow(`${who} failed (${said})`, wait);
  return refusedForGood(`${who} refused the message (${said})${advice}`);
}
