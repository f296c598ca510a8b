import type { Alert, Notification } from '../alerts/alert.ts';
import { opens, shareCondition } from '../alerts/transitions.ts';
import { minutes } from '../text/text-schemas.ts';
import { MINUTE_MS } from '../units/durations.ts';
import type { Holds } from './holds.ts';
import { startAcceptedAt } from './notification-history.ts';
import { dueNotifications } from './notification-order.ts';
import type { PendingNotification } from './pending.ts';
import { type Receiver, type Route, receiversOf } from './routes.ts';

/** A channel that is notified if nobody has answered the alert after this time. */
export interface Escalation extends Receiver {
  afterMinutes: number;
  /** The channels of its route, which get the start, be it through an earlier route. */
  startChannels: string[];
}

/** The escalations of routes that apply together. Each channel is notified once, at the earliest step that names it. */
export function escalationsOf(routes: Route[]): Escalation[] {
  const notified = receiversOf(routes).map(({ channel }) => channel);
  const steps = routes
    .flatMap(({ name: route, channels: startChannels, escalate = [] }) =>
      escalate.flatMap(({ after, channels }) =>
        channels.map((channel) => ({ channel, route, afterMinutes: minutes.parse(after), startChannels })),
      ),
    )
    .toSorted((a, b) => a.afterMinutes - b.afterMinutes);
  const isRepeated = ({ channel }: Escalation, i: number) =>
    steps.findIndex((each) => each.channel === channel) < i;
  return steps.filter((step, i) => !notified.includes(step.channel) && !isRepeated(step, i));
}

/** Whether it escalates and was certainly not delivered. */
export function isUnsentEscalation({ escalatedAfterMinutes, attempts }: Notification): boolean {
  return escalatedAfterMinutes !== undefined && attempts === 0;
}

/** `pending` with the escalations of the beginning `sent`, which wait from then on. `alert`: before it was sent. */
export function withEscalationsFrom(
  pending: Alert['pending'],
  alert: Alert,
  sent: Notification,
  sentAt: number,
): Alert['pending'] {
  // After a failed attempt they wait no longer: the channel may never work.
  if (!opens(sent.transition) || sent.attempts > 1) return pending;
  const moved = Object.entries(pending).map(([key, each]): [string, Notification] => {
    const { escalatedAfterMinutes = 0, dueAt } = each;
    const isFirst =
      isUnsentEscalation(each) && isStartOf(sent, each) && startAcceptedAt(alert, each) === undefined;
    return [
      key,
      isFirst ? { ...each, dueAt: Math.max(dueAt, sentAt + escalatedAfterMinutes * MINUTE_MS) } : each,
    ];
  });
  return Object.fromEntries(moved);
}

/**
 * Which notifications escalate an alert whose start is, on all channels, held back or to be sent at `now` for the first
 * time. Once the start was sent, the escalation waits from then; once a channel has refused it, no longer. A channel
 * that refuses messages of other `alerts` or is one of `waiting` may not get to the start for long, so it does not count.
 */
export function waitingForStart(
  alerts: Alert[],
  holds: Holds,
  waiting: ReadonlySet<string>,
  now: number,
): (pending: PendingNotification) => boolean {
  const refusing = new Set([...refusingChannels(alerts, now), ...waiting]);
  return (pending) => {
    const { alert, notification: escalation } = pending;
    if (!isUnsentEscalation(escalation) || startAcceptedAt(alert, escalation) !== undefined) return false;
    const due = new Set(dueNotifications(alert, now).map(([key]) => key));
    const starts = Object.entries(alert.pending).filter(([, each]) => isStartOf(each, escalation));
    const isWaiting = ([key, notification]: [string, Notification]) =>
      notification.attempts === 0 &&
      ((due.has(key) && !refusing.has(notification.channel)) ||
        holds.isHeld({ ...pending, key, notification }));
    return starts.length > 0 && starts.every(isWaiting);
  };
}

/** The channels that have refused a message that is still pending. */
function refusingChannels(alerts: Alert[], now: number): Set<string> {
  const hasRefused = ({ transition, escalatedAfterMinutes, attempts, dueAt }: Notification) =>
    attempts > 0 || (dueAt > now && transition !== 'reminded' && escalatedAfterMinutes === undefined);
  const refused = alerts.flatMap(({ pending }) => Object.values(pending).filter(hasRefused));
  return new Set(refused.map(({ channel }) => channel));
}

function isStartOf(start: Notification, escalation: Notification): boolean {
  const { startChannels } = escalation;
  return (
    start.escalatedAfterMinutes === undefined &&
    startChannels?.includes(start.channel) === true &&
    opens(start.transition) &&
    shareCondition(escalation.transition, start.transition)
  );
}
