import type { Alert, News, Notification, Step } from '../alerts/alert.ts';
import type { Addressee } from '../alerts/app-alert.ts';
import {
  isAnswer,
  isEnd,
  opens,
  shareCondition,
  TRANSITIONS,
  type Transition,
} from '../alerts/transitions.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Reading } from '../readings/reading.ts';
import { MINUTE_MS } from '../units/durations.ts';
import { type Escalation, escalationsOf, isUnsentEscalation } from './escalations.ts';
import { areOfOneStory, isEndOf, mayHaveBegun, openOn, waitingFor } from './notification-history.ts';
import { notificationKey } from './notification-key.ts';
import { afterOthers } from './notification-order.ts';
import { withNotifications, without, withoutOutdated, withoutReminders } from './pending-set.ts';
import { withReturn } from './reminders.ts';
import { withReplacedChannels } from './replaced-channels.ts';
import { DEFAULT } from './route-faults.ts';
import { type Receiver, type Routes, receiversOf, routesFor } from './routes.ts';

/** The content of a notification, apart from its alert. */
export interface Occasion extends News {
  windowEndAt: number;
  evaluation: Evaluation | null;
  firedWindowEndAt: number | null;
  /** The first reading of a window that was read again. */
  firstRead?: Reading | null;
  tick: { id: string; scheduledAt: number };
}

/** The alert after `step`, with all its notifications queued. */
export function queueNews(
  step: Step,
  to: Addressee,
  routes: Routes,
  about: Omit<Occasion, keyof News>,
): Alert {
  const firedWindowEndAt = about.firedWindowEndAt ?? step.alert.fired?.windowEndAt ?? null;
  const occasion = { ...about, firedWindowEndAt };
  return step.news.reduce(
    (alert, news) => queueNotification(alert, to, routes, { ...occasion, ...news }),
    step.alert,
  );
}

/**
 * Queues one notification for each channel. An end removes a beginning that was never attempted, instead of being
 * queued. After an attempt the beginning may have been delivered, so both stay. A notification replaces unsent ones
 * that it makes out of date.
 */
export function queueNotification(stored: Alert, to: Addressee, routes: Routes, occasion: Occasion): Alert {
  const { transition } = occasion;
  // One that was attempted keeps its key: it may be being sent.
  const alert = withReplacedChannels(stored, routes, ({ attempts }) => attempts === 0);
  const { reminders } = TRANSITIONS[transition];
  let pending = reminders === 'stop' ? withoutReminders(alert.pending) : alert.pending;
  if (reminders === 'stop' || isAnswer(transition))
    pending = without(pending, (_, each) => isUnsentEscalation(each));
  if (to.quiet && !isSentAnyway(alert, transition)) return withNotifications(alert, pending);
  const applying = routesFor({ ...to, segment: alert.segment }, routes, occasion.tick.scheduledAt);
  const receivers = recipients({ ...alert, pending }, receiversOf(applying), transition, routes);
  for (const { channel, route } of receivers) {
    const unsent = unsentBeginnings(pending, channel, occasion);
    pending = without(pending, (key) => unsent.includes(key));
    if (unsent.length > 0 && !isAwaited(alert, channel, transition)) continue;
    const notification = afterOthers(pending, {
      ...notificationFor(occasion, { channel, route }),
      ...whichOf(alert, transition),
    });
    pending = {
      ...withoutOutdated(pending, channel, transition),
      [notificationKey(alert, notification)]: notification,
    };
    pending = withReturn(alert, pending, notification);
  }
  const escalations = escalationsOf(applying).filter(
    (step) => !receivers.some(({ channel }) => channel === step.channel),
  );
  return withNotifications(alert, withEscalations(alert, pending, escalations, occasion));
}

/**
 * A beginning goes to `receivers`. Later news also goes to the channels that know, or will know, of the beginning, and
 * an end or an answer only to them. An end also goes to `receivers` if no channel knows of the beginning, or if one that
 * knows of it was removed.
 */
function recipients(
  alert: Alert,
  receivers: Receiver[],
  transition: Transition,
  { channels }: Routes,
): Receiver[] {
  const route = receivers[0]?.route ?? DEFAULT;
  const own = (channel: string) => receivers.find((each) => each.channel === channel) ?? { channel, route };
  const notified = waitingFor(alert, transition);
  if (isAnswer(transition)) return notified.map(own);
  const known = [...notified, ...awaiting(alert, transition)];
  const waiting = known.filter((each) => Object.hasOwn(channels, each));
  const all = () => [...new Set([...receivers.map(({ channel }) => channel), ...waiting])].map(own);
  // A channel that was renamed or removed may be one of the receivers under another name.
  const isOneRemoved = waiting.length < known.length;
  if (isEnd(transition) && waiting.length > 0) return isOneRemoved ? all() : [...new Set(waiting)].map(own);
  if (TRANSITIONS[transition].role !== 'continues') return receivers;
  return all();
}

/** The channels for which a beginning of the same condition is pending. */
function awaiting({ pending }: Alert, transition: Transition): string[] {
  return Object.values(pending).flatMap((beginning) =>
    opens(beginning.transition) && shareCondition(transition, beginning.transition)
      ? [beginning.channel]
      : [],
  );
}

/** `pending` plus a notification of a beginning for each escalation. An answer or an end removes it before it is due. */
function withEscalations(
  alert: Alert,
  pending: Alert['pending'],
  escalations: Escalation[],
  occasion: Occasion,
): Alert['pending'] {
  const { transition } = occasion;
  if (!opens(transition) || TRANSITIONS[transition].reminders !== 'start') return pending;
  const added = escalations.map(({ afterMinutes, startChannels, ...to }) => {
    const now = afterOthers(pending, { ...notificationFor(occasion, to), ...whichOf(alert, transition) });
    const dueAt = now.dueAt + afterMinutes * MINUTE_MS;
    const notification = { ...now, dueAt, escalatedAfterMinutes: afterMinutes, startChannels };
    return [notificationKey(alert, notification), notification] as const;
  });
  return { ...pending, ...Object.fromEntries(added) };
}

/** Queues an end for a channel that was, or may have been, notified of the beginning. */
export function queueEnd(alert: Alert, to: { channel: string; route: string }, occasion: Occasion): Alert {
  const { channel, route } = to;
  const { transition } = occasion;
  if (!isAwaited(alert, channel, transition) && !isInDoubt(alert, channel, transition)) return alert;
  const notification = afterOthers(alert.pending, notificationFor(occasion, { channel, route }));
  return withNotifications(alert, { ...alert.pending, [notificationKey(alert, notification)]: notification });
}

/**
 * What a quiet rule sends: that it cannot be evaluated, as other rules may depend on it, and the end of a fire that
 * was sent before the rule became quiet.
 */
function isSentAnyway(alert: Alert, transition: Transition): boolean {
  const isPending = Object.values(alert.pending).some((notification) =>
    isEndOf(transition, notification.transition),
  );
  const isNotified = waitingFor(alert, transition).length > 0;
  return !areOfOneStory(transition, 'fired') || (isEnd(transition) && (isNotified || isPending));
}

/** Keys of beginnings that this ends and that were certainly not delivered. */
function unsentBeginnings(pending: Alert['pending'], channel: string, occasion: Occasion): string[] {
  return Object.entries(pending).flatMap(([key, notification]) => {
    const isUnsent = notification.channel === channel && notification.attempts === 0;
    return isUnsent && isOwnEnd(occasion, notification) ? [key] : [];
  });
}

/** Whether it ends this `beginning`, not another fire of the same alert. */
export function isOwnEnd(
  { transition, firedWindowEndAt }: Pick<Notification, 'transition' | 'firedWindowEndAt'>,
  beginning: Notification,
): boolean {
  const isOther =
    beginning.transition === 'fired' &&
    firedWindowEndAt !== null &&
    (beginning.firedWindowEndAt ?? beginning.windowEndAt) !== firedWindowEndAt;
  return isEndOf(transition, beginning.transition) && !isOther;
}

/** Whether `channel` was notified of a beginning and no end is pending for it. */
function isAwaited(alert: Alert, channel: string, transition: Transition): boolean {
  return !isEndPending(alert, channel, transition) && openOn(alert, channel, transition) !== undefined;
}

function isInDoubt(alert: Alert, channel: string, transition: Transition): boolean {
  return !isEndPending(alert, channel, transition) && mayHaveBegun(alert, channel, transition);
}

function isEndPending({ pending }: Alert, channel: string, transition: Transition): boolean {
  return Object.values(pending).some(
    (notification) =>
      notification.channel === channel &&
      isEnd(notification.transition) &&
      areOfOneStory(notification.transition, transition),
  );
}

function notificationFor(occasion: Occasion, to: { channel: string; route: string }): Notification {
  const { tick, firstRead = null, ...about } = occasion;
  const since = tick.scheduledAt;
  return { ...about, ...to, firstRead, drivers: null, tick: tick.id, since, dueAt: since, attempts: 0 };
}

/** A window that is read again can fire, be retracted and fire again. */
function whichOf({ revision }: Alert, transition: Transition): Pick<Notification, 'revision'> {
  return TRANSITIONS[transition].perRevision ? { revision } : {};
}
