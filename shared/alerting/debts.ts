import {
  type Alert,
  type Announced,
  type Debt,
  debtKey,
  isEnd,
  type News,
  type Step,
  type Transition,
} from './alert.ts';
import type { Evaluation } from './evaluation.ts';
import type { Reading } from './reading.ts';
import { type Addressee, type Routes, routeFor } from './routes.ts';

/** Messages sent that an alert remembers. */
const REMEMBERED = 5;

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
 * The alert owing one message to every channel of its route. An end of what nobody was told of yet strikes the unsent
 * message instead: whoever never heard of a fire need not hear that it is out. Once it was tried, or while somebody is
 * sending, the first message may have got through, so both stay. News of health replace older ones that were not sent,
 * and so does word that an alert is flapping.
 */
export function owe(alert: Alert, to: Addressee, routes: Routes, occasion: Occasion): Alert {
  if (to.quiet && !isHeardAnyway(alert, occasion)) return alert;
  const { route, channels } = routeFor(to, routes);
  const { tick, firstRead = null, ...about } = occasion;
  let owed = { ...alert.owed };
  for (const channel of channels) {
    const beginning = unsentBeginning(alert, channel, occasion);
    if (beginning) {
      delete owed[beginning];
      continue;
    }
    owed = withoutOutdated(owed, channel, occasion.transition, mayHaveGotThrough(alert));
    const since = tick.scheduledAt;
    const sending = { channel, route, tick: tick.id, since, dueAt: since, attempts: 0 };
    const debt: Debt = { ...about, firstRead, drivers: [], ...sending };
    owed[debtKey(alert, debt)] = debt;
  }
  return withDebts(alert, owed);
}

/** The alert after the message of `key` was sent. */
export function settle(alert: Alert, key: string, sentAt: number): Alert {
  const { [key]: debt, ...owed } = alert.owed;
  if (!debt) return alert;
  const { transition, channel, windowEndAt } = debt;
  const announced: Announced[] = [{ transition, channel, windowEndAt, sentAt }, ...alert.announced];
  return { ...withDebts(alert, owed), announced: announced.slice(0, REMEMBERED) };
}

/** The alert after a failed attempt at the message of `key`: still owed, due again later. */
export function postpone(alert: Alert, key: string, now: number, retryAfterMs = 0): Alert {
  const debt = alert.owed[key];
  if (!debt) return alert;
  const wait = Math.max(retryAfterMs, Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** debt.attempts));
  const owed = { ...alert.owed, [key]: { ...debt, dueAt: now + wait, attempts: debt.attempts + 1 } };
  return withDebts(alert, owed);
}

/** Whether somebody is sending what this alert owes. */
export function isLeased(alert: Alert, now: number): boolean {
  return alert.leasedUntilAt !== null && alert.leasedUntilAt > now;
}

/** What a quiet rule keeps to itself: all that it finds. That it cannot be judged is told, as others may rely on it. */
const FINDINGS: ReadonlySet<Transition> = new Set([
  ...(['fired', 'recovered', 'retracted', 'accepted', 'restarted'] as const),
  ...(['flapping', 'calmed', 'persists'] as const),
]);

/** Whoever heard of a fire before the rule became quiet hears of its end. */
function isHeardAnyway({ announced, owed }: Alert, { transition, firedWindowEndAt }: Occasion): boolean {
  const isFire = (each: Pick<Debt, 'transition' | 'windowEndAt'>) =>
    each.transition === 'fired' && each.windowEndAt === firedWindowEndAt;
  return (
    !FINDINGS.has(transition) || (isEnd(transition) && [...announced, ...Object.values(owed)].some(isFire))
  );
}

/** What each of these is the end of. */
const BEGAN_WITH: Partial<Record<Transition, Transition>> = {
  recovered: 'fired',
  retracted: 'fired',
  'data-back': 'no-data',
  resumed: 'stopped',
};

/** The message of what is now over, if it certainly reached nobody. */
function unsentBeginning(alert: Alert, channel: string, occasion: Occasion): string | undefined {
  const began = BEGAN_WITH[occasion.transition];
  if (!began || mayHaveGotThrough(alert)) return undefined;
  const unsent = Object.entries(alert.owed).find(
    ([, debt]) =>
      debt.transition === began &&
      debt.channel === channel &&
      debt.attempts === 0 &&
      (began !== 'fired' || (debt.firedWindowEndAt ?? debt.windowEndAt) === occasion.firedWindowEndAt),
  );
  return unsent?.[0];
}

/** A lease that ran out may be that of an announcer that died after sending. */
function mayHaveGotThrough({ leasedUntilAt }: Alert): boolean {
  return leasedUntilAt !== null;
}

const HEALTH: Transition[] = ['failing', 'broken', 'stalled', 'healed'];
const CHANGES: Transition[] = ['fired', 'recovered', 'retracted', 'accepted'];

/** What is owed to the other channels, and to this one what news of the kind `by` do not make out of date. */
function withoutOutdated(owed: Alert['owed'], channel: string, by: Transition, isLeased: boolean) {
  const isOutdated = ({ transition, attempts }: Debt) =>
    (HEALTH.includes(by) && HEALTH.includes(transition)) ||
    (by === 'flapping' && CHANGES.includes(transition) && attempts === 0 && !isLeased);
  return Object.fromEntries(
    Object.entries(owed).filter(([, debt]) => debt.channel !== channel || !isOutdated(debt)),
  );
}

function withDebts(alert: Alert, owed: Alert['owed']): Alert {
  const due = Object.values(owed).map(({ dueAt }) => dueAt);
  return { ...alert, owed, owedAt: due.length > 0 ? Math.min(...due) : null };
}
