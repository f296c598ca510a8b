import type { Alert, Notification } from '../alerts/alert.ts';
import { standingOn } from '../alerts/answers.ts';
import { sinceOf } from '../alerts/open-since.ts';
import { TRANSITIONS } from '../alerts/transitions.ts';
import { notificationKey } from './notification-key.ts';
import { firstWait, type Repeat } from './routes.ts';

const DAY_MS = 86_400_000;

/** What has stood for this long is no news from day to day: from then on it is told again once a week. */
const LASTING_MS = 14 * DAY_MS;

/** Whether somebody is to be reminded of the alert: it stands, and nobody has it. */
export function asksForSomebody(alert: Alert): boolean {
  return standingOn(alert) !== null && alert.acknowledged === null && alert.flappingSinceAt === null;
}

/** The reminder that follows the message `sent` at `sentAt`, with its key; none where nothing is repeated. */
export function reminderAfter(
  alert: Alert,
  sent: Notification,
  sentAt: number,
  repeat: Repeat | undefined,
): Alert['pending'] {
  // Who is reminded because a snooze is over is reminded once.
  if (sent.transition === 'reminded' && sent.reminder === undefined) return {};
  const reminder = (sent.reminder ?? 0) + 1;
  const isWanted = repeat !== undefined && reminder <= (repeat.at_most ?? Infinity);
  const { reminders } = TRANSITIONS[sent.transition].sent;
  if (!isWanted || reminders !== 'start' || !asksForSomebody(alert)) return {};
  const pending: Notification = {
    ...sent,
    transition: 'reminded',
    reminder,
    firedWindowEndAt: sent.firedWindowEndAt ?? sent.windowEndAt,
    // The figures of a reminder are those of when it is sent.
    evaluation: null,
    drivers: null,
    firstRead: null,
    dueAt: sentAt + waitBefore(reminder, repeat, sentAt - sinceOf(alert)),
    attempts: 0,
  };
  return { [notificationKey(alert, pending)]: pending };
}

/**
 * How long after the message before it the reminder of this number follows, in milliseconds; the first is 1. `stoodMs`:
 * how long the alert had stood by then.
 */
export function waitBefore(reminder: number, repeat: Repeat, stoodMs = 0): number {
  const first = firstWait(repeat);
  const longest = stoodMs < LASTING_MS ? DAY_MS : 7 * DAY_MS;
  return Math.max(first, Math.min(longest, first * 2 ** (reminder - 1)));
}
