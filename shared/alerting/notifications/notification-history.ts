import type { Alert, SentNotification } from '../alerts/alert.ts';
import {
  type Condition,
  isAnswer,
  isEnd,
  opens,
  shareCondition,
  TRANSITIONS,
  type Transition,
} from '../alerts/transitions.ts';

/** Messages sent that an alert remembers at the least. */
const REMEMBERED = 5;

/** Whether `transition` is the end of what `began` began, whichever it was. */
export function isEndOf(transition: Transition, began: Transition): boolean {
  return isEnd(transition) && opens(began) && shareCondition(transition, began);
}

/** Whether both are steps of one story, so that the first of them is to be told first. */
export function areOfOneStory(a: Transition, b: Transition): boolean {
  return isStep(a) && isStep(b) && shareCondition(a, b);
}

/** Whether news of the kind `first` are to be told before those of the kind `then`: an answer follows what it answers. */
export function comesBefore(first: Transition, then: Transition): boolean {
  return (isAnswer(then) || isStep(then)) && isStep(first) && shareCondition(first, then);
}

/** The beginning that `channel` was told of and whose end, `transition`, it was not. */
export function openOn(alert: Alert, channel: string, transition: Transition): SentNotification | undefined {
  return TRANSITIONS[transition].on.about
    .map((each) => lastOf(each, channel, alert.sent))
    .find((last) => last !== undefined && opens(last.transition));
}

/** Whether `channel` is owed a beginning of the same story that was tried, and so may have got through. */
export function mayHaveBegun({ pending }: Alert, channel: string, transition: Transition): boolean {
  return Object.values(pending).some(
    (notification) =>
      notification.channel === channel &&
      notification.attempts > 0 &&
      opens(notification.transition) &&
      shareCondition(transition, notification.transition),
  );
}

/** The channels that wait for `transition`: they were told of what it ends, or of what somebody has taken. */
export function waitingFor(alert: Alert, transition: Transition): string[] {
  const channels = [...new Set(alert.sent.map(({ channel }) => channel))];
  return channels.filter((channel) => openOn(alert, channel, transition));
}

/**
 * Messages sent, the newest first: the last ones, each before them whose end was not told yet, and what a channel was told
 * of answers to it. Without those, the answer would be sent again with the next message that says that it fires.
 */
export function remembered(sent: SentNotification[]): SentNotification[] {
  return sent.filter((each, i) => {
    const later = sent.slice(0, i);
    return i < REMEMBERED || isOpen(each, later) || isStanding(each, later);
  });
}

/** Whether the channel was told neither the end of what was answered, nor a newer answer of the kind. */
function isStanding(notified: SentNotification, later: SentNotification[]): boolean {
  const { transition, channel } = notified;
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
  return opens(transition) && TRANSITIONS[transition].on.about.every((each) => !lastOf(each, channel, later));
}

/** The last message to the channel that said that the condition holds, or no longer does. */
function lastOf(
  condition: Condition,
  channel: string,
  sent: SentNotification[],
): SentNotification | undefined {
  return sent.find(
    (each) =>
      each.channel === channel &&
      isStep(each.transition) &&
      TRANSITIONS[each.transition].on.about.includes(condition),
  );
}

function isStep(transition: Transition): boolean {
  return opens(transition) || isEnd(transition);
}
