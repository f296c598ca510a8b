import type { Alert } from '../alerts/alert.ts';
import { HOUR_MS, MINUTE_MS } from '../units/durations.ts';
import { withNotifications } from './pending-set.ts';

/** The longest wait before a retry. A channel that refuses permanently may have been fixed by then. */
export const LONGEST_WAIT_MS = HOUR_MS;

/** The wait in milliseconds after this number of failed attempts: it doubles from a minute to an hour. */
function waitAfter(attempts: number): number {
  return Math.min(LONGEST_WAIT_MS, MINUTE_MS * 2 ** Math.max(0, attempts - 1));
}

/** When a refused notification is tried again. The channel may ask for a longer wait, an hour at most. */
export function retryAt(
  now: number,
  attempts: number,
  { permanent, retryAfterMs = 0 }: { permanent: boolean; retryAfterMs?: number },
): number {
  const wait = permanent ? LONGEST_WAIT_MS : waitAfter(attempts);
  return now + Math.min(LONGEST_WAIT_MS, Math.max(wait, retryAfterMs));
}

/** After a failed attempt, due again at `dueAt`. `reachedNobody`: certainly not delivered, so it does not count. */
export function postpone(alert: Alert, key: string, dueAt: number, reachedNobody = false): Alert {
  const notification = alert.pending[key];
  if (!notification) return alert;
  const attempts = reachedNobody ? Math.max(0, notification.attempts - 1) : notification.attempts;
  return withNotifications(alert, { ...alert.pending, [key]: { ...notification, dueAt, attempts } });
}
