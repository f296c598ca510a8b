import type { Alert, Notification, Receipt, SentNotification } from '../alerts/alert.ts';
import {
  type Condition,
  isAnswer,
  isEnd,
  opens,
  shareCondition,
  TRANSITIONS,
  type Transition,
} from '../alerts/transitions.ts';

/** Sent notifications that an alert always remembers. */
const REMEMBERED = 5;

/** Whether `transition` ends a condition that `began` opened. */
export function isEndOf(transition: Transition, began: Transition): boolean {
  return isEnd(transition) && opens(began) && shareCondition(transition, began);
}

/** Whether both begin or end the same condition, so that their order matters. */
export function areOfOneStory(a: Transition, b: Transition): boolean {
  return isStep(a) && isStep(b) && shareCondition(a, b);
}

/** Whether `first` must be sent before `then`. An answer follows the alert that it answers. */
export function comesBefore(first: Transition, then: Transition): boolean {
  return (isAnswer(then) || isStep(then)) && isStep(first) && shareCondition(first, then);
}

/** The beginning that was sent to `channel` and that `transition` would end; `undefined` if none is open. */
export function openOn(alert: Alert, channel: string, transition: Transition): SentNotification | undefined {
  return TRANSITIONS[transition].about
    .map((each) => lastOf(each, channel, alert.sent))
    .find((last) => last !== undefined && opens(last.transition));
}

/**
 * The message on `channel` that news about the same condition updates. A new fire and new missing data get a message
 * of their own. Health gets worse in several steps, all in one message.
 */
export function receiptOf(alert: Alert, channel: string, transition: Transition): Receipt | undefined {
  const { role, about } = TRANSITIONS[transition];
  if (role === 'begins' && !about.includes('health')) return undefined;
  const last = alert.sent.find(
    (each) =>
      each.channel === channel &&
      shareCondition(each.transition, transition) &&
      (each.receipt !== undefined || isEnd(each.transition)),
  );
  return last && !isEnd(last.transition) ? last.receipt : undefined;
}

/** Whether a beginning of the same condition was attempted on `channel` and may have been delivered. */
export function mayHaveBegun({ pending }: Alert, channel: string, transition: Transition): boolean {
  return Object.values(pending).some(
    (notification) =>
      notification.channel === channel &&
      notification.attempts > 0 &&
      opens(notification.transition) &&
      shareCondition(transition, notification.transition),
  );
}

/** When the first channel accepted the start that `escalation` follows; `undefined` if none has. */
export function startAcceptedAt({ sent }: Alert, escalation: Notification): number | undefined {
  const accepted = sent.filter(
    ({ transition, channel, sentAt }) =>
      opens(transition) &&
      shareCondition(escalation.transition, transition) &&
      escalation.startChannels?.includes(channel) &&
      sentAt >= escalation.since,
  );
  return accepted.at(-1)?.sentAt;
}

/** The channels that were notified of the condition that `transition` ends or answers. */
export function waitingFor(alert: Alert, transition: Transition): string[] {
  const channels = [...new Set(alert.sent.map(({ channel }) => channel))];
  return channels.filter((channel) => openOn(alert, channel, transition));
}

/**
 * The sent notifications to keep, newest first: the latest ones, open beginnings, and answers that still hold. Without
 * the answers, an answer would be sent again with the next beginning.
 */
export function remembered(sent: SentNotification[]): SentNotification[] {
  return sent.filter((each, i) => {
    const later = sent.slice(0, i);
    return i < REMEMBERED || isOpen(each, later) || isCurrent(each, later);
  });
}

/** Whether no end of the answered condition and no newer answer of the kind was sent. */
function isCurrent(answer: SentNotification, later: SentNotification[]): boolean {
  const { transition, channel } = answer;
  if (!isAnswer(transition)) return false;
  return !later.some(
    (each) =>
      each.channel === channel &&
      (each.transition === transition ||
        (isEnd(each.transition) && shareCondition(each.transition, transition))),
  );
}

function isOpen(beginning: SentNotification, later: SentNotification[]): boolean {
  const { transition, channel } = beginning;
  return opens(transition) && TRANSITIONS[transition].about.every((each) => !lastOf(each, channel, later));
}

/** The last notification to the channel that began or ended the condition. */
function lastOf(
  condition: Condition,
  channel: string,
  sent: SentNotification[],
): SentNotification | undefined {
  return sent.find(
    (each) =>
      each.channel === channel &&
      isStep(each.transition) &&
      TRANSITIONS[each.transition].about.includes(condition),
  );
}

function isStep(transition: Transition): boolean {
  return opens(transition) || isEnd(transition);
}
