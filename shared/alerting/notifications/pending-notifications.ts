import type { Alert, News, Notification, SentNotification, Step } from '../alerts/alert.ts';
import type { Addressee } from '../alerts/app-alert.ts';
import { isAnswer, isEnd, TRANSITIONS, type Transition } from '../alerts/transitions.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Reading } from '../readings/reading.ts';
import { withMissedAnswers, withReturn } from './answer-notifications.ts';
import {
  areOfOneStory,
  isEndOf,
  mayHaveBegun,
  openOn,
  remembered,
  waitingFor,
} from './notification-history.ts';
import { notificationKey } from './notification-key.ts';
import { afterOthers } from './notification-order.ts';
import { reminderAfter } from './reminders.ts';
import { type Repeat, type Routes, routeFor } from './routes.ts';

/** Waits between attempts to send one message: doubling from a minute to an hour. */
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 3_600_000;

/** What a debt is about, besides the alert that owes it. */
export interface Occasion extends News {
  windowEndAt: number;
  evaluation: Evaluation | null;
  firedWindowEndAt: number | null;
  /** Where the window was read again: what it was first read as. */
  firstRead?: Reading | null;
  tick: { id: string; scheduledAt: number };
}

/** The alert after `step`, owing all that there is to tell of it. */
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
 * The alert owing one message to every channel that is to hear. An end of what nobody was told of yet strikes the
 * unsent message instead: whoever never heard of a fire need not hear that it is out. Once somebody set out to send
 * it, it may have got through, so both stay. News of health replace older ones that were not sent, and so does word
 * that an alert is flapping.
 */
export function queueNotification(alert: Alert, to: Addressee, routes: Routes, occasion: Occasion): Alert {
  const { transition } = occasion;
  const { reminders } = TRANSITIONS[transition].sent;
  let pending = reminders === 'stop' ? withoutReminders(alert.pending) : alert.pending;
  if (to.quiet && !isHeardAnyway(alert, transition)) return withNotifications(alert, pending);
  const { route, channels } = routeFor({ ...to, segment: alert.segment }, routes);
  for (const channel of hearers(alert, channels, transition, routes)) {
    const unheard = unsentBeginnings(pending, channel, occasion);
    pending = without(pending, (key) => unheard.includes(key));
    if (unheard.length > 0 && !isAwaited(alert, channel, transition)) continue;
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
  return withNotifications(alert, pending);
}

/** The alert owing an end to a channel, if that was or may have been told of what it ends. */
export function queueEnd(alert: Alert, to: { channel: string; route: string }, occasion: Occasion): Alert {
  const { channel, route } = to;
  const { transition } = occasion;
  if (!isAwaited(alert, channel, transition) && !isInDoubt(alert, channel, transition)) return alert;
  const notification = afterOthers(alert.pending, notificationFor(occasion, { channel, route }));
  return withNotifications(alert, { ...alert.pending, [notificationKey(alert, notification)]: notification });
}

/**
 * The alert owing the reminder of `key` by another route, but to no channel that has word of the fire to come. Whoever
 * was never told that it fires is told that first: reminders, answers and its end follow from there.
 */
export function redirect(alert: Alert, key: string, to: { route: string; channels: string[] }): Alert {
  const { [key]: notification, ...pending } = alert.pending;
  if (!notification) return alert;
  const { reminder: _, ...beginning } = notification;
  const isServed = (channel: string) =>
    Object.values(pending).some(
      (other) =>
        other.channel === channel &&
        (other.transition === 'reminded' || areOfOneStory(other.transition, 'fired')),
    );
  const moved = to.channels
    .filter((channel) => !isServed(channel))
    .map((channel): Notification => {
      const isNotified = openOn(alert, channel, 'fired') !== undefined;
      const own = isNotified ? notification : { ...beginning, transition: 'fired' as const };
      return { ...own, channel, route: to.route };
    });
  return withNotifications(alert, {
    ...pending,
    ...Object.fromEntries(moved.map((each) => [notificationKey(alert, each), each])),
  });
}

/** The alert while somebody sends the messages of `keys`: they are due again at `untilAt`, should that never end. */
export function take(
  alert: Alert,
  keys: readonly string[],
  untilAt: number,
  causes: ReadonlyMap<string, string> = new Map(),
): Alert {
  const taken = keys.flatMap((key) => {
    const notification = alert.pending[key];
    if (!notification) return [];
    const cause = notification.cause ?? causes.get(key);
    const next: Notification = {
      ...notification,
      dueAt: untilAt,
      attempts: notification.attempts + 1,
      ...(cause && { cause }),
    };
    return [[key, next] as const];
  });
  return taken.length === 0
    ? alert
    : withNotifications(alert, { ...alert.pending, ...Object.fromEntries(taken) });
}

/**
 * The alert after the message of `key` was sent, owing a reminder where the route repeats, and what somebody answered
 * before it was told.
 */
export function settle(alert: Alert, key: string, sentAt: number, repeat?: Repeat): Alert {
  const { [key]: notification, ...pending } = alert.pending;
  if (!notification) return alert;
  const { transition, channel, windowEndAt, cause } = notification;
  const taken = transition === 'retracted' && notification.firedWindowEndAt;
  const sent: SentNotification = {
    ...{ transition, channel, windowEndAt, sentAt },
    ...(typeof taken === 'number' && { firedWindowEndAt: taken }),
    ...(cause && { cause }),
  };
  const before = alert.sent.filter((each) => !isSameReminder(each, sent));
  const notified = { ...alert, sent: remembered([sent, ...before]) };
  const left = without(pending, (_, other) => isOutlived(other, notification));
  const reminding = {
    ...left,
    ...reminderAfter(alert, notification, sentAt, repeat),
  };
  return withNotifications(notified, withMissedAnswers(notified, reminding, notification, sentAt));
}

/** Whoever was told that it is over is not told afterwards that it began. */
function isOutlived(beginning: Notification, end: Notification): boolean {
  const isBefore = beginning.channel === end.channel && beginning.since < end.since;
  return isBefore && isOwnEnd(end, beginning);
}

/**
 * The alert after a failed attempt at the message of `key`: still owed, due again at `dueAt`. One that certainly
 * `reachedNobody` counts for no attempt.
 */
export function postpone(alert: Alert, key: string, dueAt: number, reachedNobody = false): Alert {
  const notification = alert.pending[key];
  if (!notification) return alert;
  const attempts = reachedNobody ? Math.max(0, notification.attempts - 1) : notification.attempts;
  return withNotifications(alert, { ...alert.pending, [key]: { ...notification, dueAt, attempts } });
}

/** How long to wait after so many attempts that failed. */
export function waitAfter(attempts: number): number {
  return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, attempts - 1));
}

/** The alert without what it owes by `key`. */
export function removePending(alert: Alert, keys: readonly string[]): Alert {
  return withNotifications(
    alert,
    without(alert.pending, (key) => keys.includes(key)),
  );
}

/**
 * What a quiet rule sends: that it cannot be judged, as others may rely on it, and the end of a fire that was sent before
 * the rule became quiet.
 */
function isHeardAnyway(alert: Alert, transition: Transition): boolean {
  const isPending = Object.values(alert.pending).some((notification) =>
    isEndOf(transition, notification.transition),
  );
  const isHeard = waitingFor(alert, transition).length > 0;
  return !areOfOneStory(transition, 'fired') || (isEnd(transition) && (isHeard || isPending));
}

/** The channels of the route, and whoever else was told of what is now over; of an answer those who were told alone. */
function hearers(alert: Alert, channels: string[], transition: Transition, routes: Routes): string[] {
  if (isAnswer(transition)) return waitingFor(alert, transition);
  const waiting = isEnd(transition) ? waitingFor(alert, transition) : [];
  return [...new Set([...channels, ...waiting.filter((channel) => Object.hasOwn(routes.channels, channel))])];
}

/** The messages of what is now over that certainly reached nobody. */
function unsentBeginnings(pending: Alert['pending'], channel: string, occasion: Occasion): string[] {
  return Object.entries(pending).flatMap(([key, notification]) => {
    const isUnsent = notification.channel === channel && notification.attempts === 0;
    return isUnsent && isOwnEnd(occasion, notification) ? [key] : [];
  });
}

/** Whether it ends what `beginning` tells of, and not another fire of the same alert. */
function isOwnEnd(
  { transition, firedWindowEndAt }: Pick<Notification, 'transition' | 'firedWindowEndAt'>,
  beginning: Notification,
): boolean {
  const isOther =
    beginning.transition === 'fired' &&
    firedWindowEndAt !== null &&
    (beginning.firedWindowEndAt ?? beginning.windowEndAt) !== firedWindowEndAt;
  return isEndOf(transition, beginning.transition) && !isOther;
}

/** Whether `channel` was told of a beginning, and is not owed its end already. */
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

/** Read again, a window may fire, be retracted and fire once more: each is news. */
function whichOf({ revision }: Alert, transition: Transition): Pick<Notification, 'revision'> {
  return TRANSITIONS[transition].on.perRevision ? { revision } : {};
}

/** What is owed to the other channels, and to this one what news of the kind `by` do not make out of date. */
function withoutOutdated(pending: Alert['pending'], channel: string, by: Transition): Alert['pending'] {
  return without(
    pending,
    (_, notification) =>
      notification.channel === channel &&
      notification.attempts === 0 &&
      replaces(by, notification.transition),
  );
}

/** Whether `by` makes an unsent message of the kind `unsent` out of date. */
function replaces(by: Transition, unsent: Transition): boolean {
  switch (TRANSITIONS[by].sent.replaces) {
    case 'nothing':
      return false;
    case 'itself':
      return unsent === by;
    case 'answers':
      return isAnswer(unsent);
    case 'changes':
      return TRANSITIONS[unsent].on.isChange;
    case 'flapping':
      return unsent === 'flapping';
    case 'health':
      return TRANSITIONS[unsent].on.about.includes('health');
  }
}

function withoutReminders(pending: Alert['pending']): Alert['pending'] {
  return without(pending, (_, { transition }) => transition === 'reminded');
}

/** One reminder is remembered a channel, so that the fire it is about is not forgotten for it. */
function isSameReminder(a: SentNotification, b: SentNotification): boolean {
  return a.transition === 'reminded' && b.transition === 'reminded' && a.channel === b.channel;
}

function without(
  pending: Alert['pending'],
  isStruck: (key: string, notification: Notification) => boolean,
): Alert['pending'] {
  return Object.fromEntries(
    Object.entries(pending).filter(([key, notification]) => !isStruck(key, notification)),
  );
}

/** The alert owing this and nothing else. */
function withNotifications(alert: Alert, pending: Alert['pending']): Alert {
  const due = Object.values(pending).map(({ dueAt }) => dueAt);
  return { ...alert, pending, pendingAt: due.length > 0 ? Math.min(...due) : null };
}
