import type { Alert, Announced, Debt, News, Step } from '../alerts/alert.ts';
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
import { debtKey } from './notification-key.ts';
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
export function tell(step: Step, to: Addressee, routes: Routes, about: Omit<Occasion, keyof News>): Alert {
  const firedWindowEndAt = about.firedWindowEndAt ?? step.alert.fired?.windowEndAt ?? null;
  const occasion = { ...about, firedWindowEndAt };
  return step.news.reduce((alert, news) => owe(alert, to, routes, { ...occasion, ...news }), step.alert);
}

/**
 * The alert owing one message to every channel that is to hear. An end of what nobody was told of yet strikes the
 * unsent message instead: whoever never heard of a fire need not hear that it is out. Once somebody set out to send
 * it, it may have got through, so both stay. News of health replace older ones that were not sent, and so does word
 * that an alert is flapping.
 */
export function owe(alert: Alert, to: Addressee, routes: Routes, occasion: Occasion): Alert {
  const { transition } = occasion;
  const { reminders } = TRANSITIONS[transition].sent;
  let owed = reminders === 'stop' ? withoutReminders(alert.owed) : alert.owed;
  if (to.quiet && !isHeardAnyway(alert, transition)) return withDebts(alert, owed);
  const { route, channels } = routeFor({ ...to, segment: alert.segment }, routes);
  for (const channel of hearers(alert, channels, transition, routes)) {
    const unheard = unsentBeginnings(owed, channel, occasion);
    owed = without(owed, (key) => unheard.includes(key));
    if (unheard.length > 0 && !isAwaited(alert, channel, transition)) continue;
    const debt = afterOthers(owed, {
      ...debtFor(occasion, { channel, route }),
      ...whichOf(alert, transition),
    });
    owed = { ...withoutOutdated(owed, channel, transition), [debtKey(alert, debt)]: debt };
    owed = withReturn(alert, owed, debt);
  }
  return withDebts(alert, owed);
}

/** The alert owing an end to a channel, if that was or may have been told of what it ends. */
export function oweEnd(alert: Alert, to: { channel: string; route: string }, occasion: Occasion): Alert {
  const { channel, route } = to;
  const { transition } = occasion;
  if (!isAwaited(alert, channel, transition) && !isInDoubt(alert, channel, transition)) return alert;
  const debt = afterOthers(alert.owed, debtFor(occasion, { channel, route }));
  return withDebts(alert, { ...alert.owed, [debtKey(alert, debt)]: debt });
}

/**
 * The alert owing the reminder of `key` by another route, but to no channel that has word of the fire to come. Whoever
 * was never told that it fires is told that first: reminders, answers and its end follow from there.
 */
export function redirect(alert: Alert, key: string, to: { route: string; channels: string[] }): Alert {
  const { [key]: debt, ...owed } = alert.owed;
  if (!debt) return alert;
  const { reminder: _, ...beginning } = debt;
  const isServed = (channel: string) =>
    Object.values(owed).some(
      (other) =>
        other.channel === channel &&
        (other.transition === 'reminded' || areOfOneStory(other.transition, 'fired')),
    );
  const moved = to.channels
    .filter((channel) => !isServed(channel))
    .map((channel): Debt => {
      const isTold = openOn(alert, channel, 'fired') !== undefined;
      const own = isTold ? debt : { ...beginning, transition: 'fired' as const };
      return { ...own, channel, route: to.route };
    });
  return withDebts(alert, {
    ...owed,
    ...Object.fromEntries(moved.map((each) => [debtKey(alert, each), each])),
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
    const debt = alert.owed[key];
    if (!debt) return [];
    const cause = debt.cause ?? causes.get(key);
    const next: Debt = { ...debt, dueAt: untilAt, attempts: debt.attempts + 1, ...(cause && { cause }) };
    return [[key, next] as const];
  });
  return taken.length === 0 ? alert : withDebts(alert, { ...alert.owed, ...Object.fromEntries(taken) });
}

/**
 * The alert after the message of `key` was sent, owing a reminder where the route repeats, and what somebody answered
 * before it was told.
 */
export function settle(alert: Alert, key: string, sentAt: number, repeat?: Repeat): Alert {
  const { [key]: debt, ...owed } = alert.owed;
  if (!debt) return alert;
  const { transition, channel, windowEndAt, cause } = debt;
  const taken = transition === 'retracted' && debt.firedWindowEndAt;
  const sent: Announced = {
    ...{ transition, channel, windowEndAt, sentAt },
    ...(typeof taken === 'number' && { firedWindowEndAt: taken }),
    ...(cause && { cause }),
  };
  const before = alert.announced.filter((each) => !isSameReminder(each, sent));
  const told = { ...alert, announced: remembered([sent, ...before]) };
  const left = without(owed, (_, other) => isOutlived(other, debt));
  const reminding = {
    ...left,
    ...reminderAfter(alert, debt, sentAt, repeat),
  };
  return withDebts(told, withMissedAnswers(told, reminding, debt, sentAt));
}

/** Whoever was told that it is over is not told afterwards that it began. */
function isOutlived(beginning: Debt, end: Debt): boolean {
  const isBefore = beginning.channel === end.channel && beginning.since < end.since;
  return isBefore && isOwnEnd(end, beginning);
}

/**
 * The alert after a failed attempt at the message of `key`: still owed, due again at `dueAt`. One that certainly
 * `reachedNobody` counts for no attempt.
 */
export function postpone(alert: Alert, key: string, dueAt: number, reachedNobody = false): Alert {
  const debt = alert.owed[key];
  if (!debt) return alert;
  const attempts = reachedNobody ? Math.max(0, debt.attempts - 1) : debt.attempts;
  return withDebts(alert, { ...alert.owed, [key]: { ...debt, dueAt, attempts } });
}

/** How long to wait after so many attempts that failed. */
export function waitAfter(attempts: number): number {
  return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.max(0, attempts - 1));
}

/** The alert without what it owes by `key`. */
export function strike(alert: Alert, keys: readonly string[]): Alert {
  return withDebts(
    alert,
    without(alert.owed, (key) => keys.includes(key)),
  );
}

/**
 * What a quiet rule sends: that it cannot be judged, as others may rely on it, and the end of a fire that was sent before
 * the rule became quiet.
 */
function isHeardAnyway(alert: Alert, transition: Transition): boolean {
  const isOwed = Object.values(alert.owed).some((debt) => isEndOf(transition, debt.transition));
  const isHeard = waitingFor(alert, transition).length > 0;
  return !areOfOneStory(transition, 'fired') || (isEnd(transition) && (isHeard || isOwed));
}

/** The channels of the route, and whoever else was told of what is now over; of an answer those who were told alone. */
function hearers(alert: Alert, channels: string[], transition: Transition, routes: Routes): string[] {
  if (isAnswer(transition)) return waitingFor(alert, transition);
  const waiting = isEnd(transition) ? waitingFor(alert, transition) : [];
  return [...new Set([...channels, ...waiting.filter((channel) => Object.hasOwn(routes.channels, channel))])];
}

/** The messages of what is now over that certainly reached nobody. */
function unsentBeginnings(owed: Alert['owed'], channel: string, occasion: Occasion): string[] {
  return Object.entries(owed).flatMap(([key, debt]) => {
    const isUnsent = debt.channel === channel && debt.attempts === 0;
    return isUnsent && isOwnEnd(occasion, debt) ? [key] : [];
  });
}

/** Whether it ends what `beginning` tells of, and not another fire of the same alert. */
function isOwnEnd(
  { transition, firedWindowEndAt }: Pick<Debt, 'transition' | 'firedWindowEndAt'>,
  beginning: Debt,
): boolean {
  const isOther =
    beginning.transition === 'fired' &&
    firedWindowEndAt !== null &&
    (beginning.firedWindowEndAt ?? beginning.windowEndAt) !== firedWindowEndAt;
  return isEndOf(transition, beginning.transition) && !isOther;
}

/** Whether `channel` was told of a beginning, and is not owed its end already. */
function isAwaited(alert: Alert, channel: string, transition: Transition): boolean {
  return !isEndOwed(alert, channel, transition) && openOn(alert, channel, transition) !== undefined;
}

function isInDoubt(alert: Alert, channel: string, transition: Transition): boolean {
  return !isEndOwed(alert, channel, transition) && mayHaveBegun(alert, channel, transition);
}

function isEndOwed({ owed }: Alert, channel: string, transition: Transition): boolean {
  return Object.values(owed).some(
    (debt) =>
      debt.channel === channel && isEnd(debt.transition) && areOfOneStory(debt.transition, transition),
  );
}

function debtFor(occasion: Occasion, to: { channel: string; route: string }): Debt {
  const { tick, firstRead = null, ...about } = occasion;
  const since = tick.scheduledAt;
  return { ...about, ...to, firstRead, drivers: null, tick: tick.id, since, dueAt: since, attempts: 0 };
}

/** Read again, a window may fire, be retracted and fire once more: each is news. */
function whichOf({ revision }: Alert, transition: Transition): Pick<Debt, 'revision'> {
  return TRANSITIONS[transition].on.perRevision ? { revision } : {};
}

/** What is owed to the other channels, and to this one what news of the kind `by` do not make out of date. */
function withoutOutdated(owed: Alert['owed'], channel: string, by: Transition): Alert['owed'] {
  return without(
    owed,
    (_, debt) => debt.channel === channel && debt.attempts === 0 && replaces(by, debt.transition),
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

function withoutReminders(owed: Alert['owed']): Alert['owed'] {
  return without(owed, (_, { transition }) => transition === 'reminded');
}

/** One reminder is remembered a channel, so that the fire it is about is not forgotten for it. */
function isSameReminder(a: Announced, b: Announced): boolean {
  return a.transition === 'reminded' && b.transition === 'reminded' && a.channel === b.channel;
}

function without(owed: Alert['owed'], isStruck: (key: string, debt: Debt) => boolean): Alert['owed'] {
  return Object.fromEntries(Object.entries(owed).filter(([key, debt]) => !isStruck(key, debt)));
}

/** The alert owing this and nothing else. */
function withDebts(alert: Alert, owed: Alert['owed']): Alert {
  const due = Object.values(owed).map(({ dueAt }) => dueAt);
  return { ...alert, owed, owedAt: due.length > 0 ? Math.min(...due) : null };
}
