import { type Alert, type Announced, type Debt, debtKey, type Transition } from './alert.ts';
import type { Evaluation } from './evaluation.ts';
import { type Routes, routeFor } from './routes.ts';
import type { Rule } from './rule.ts';

/** Messages sent that an alert remembers. */
const REMEMBERED = 5;

/** Waits between attempts to send one message: doubling from a minute to an hour. */
const FIRST_RETRY_MS = 60_000;
const LAST_RETRY_MS = 3_600_000;

/** What a debt is about, besides the alert that owes it. */
export interface Occasion {
  transition: Transition;
  reason: string;
  windowEndAt: number;
  evaluation: Evaluation | null;
  firedWindowEndAt: number | null;
  tick: { id: string; scheduledAt: number };
}

/**
 * The alert owing one message to every channel of its rule's route. A recovery of what nobody was told of yet strikes
 * the unsent message instead: whoever never heard of a fire need not hear that it is out. Once it was tried, or while
 * somebody is sending, the first message may have got through, so both stay. News of a rule's health replace older ones
 * that were not sent.
 */
export function owe(alert: Alert, rule: Rule, routes: Routes, occasion: Occasion): Alert {
  const { route, channels } = routeFor(rule, routes);
  const { tick, ...about } = occasion;
  let owed = { ...alert.owed };
  for (const channel of channels) {
    const fire = unsentFire(alert, channel, occasion);
    if (fire) {
      delete owed[fire];
      continue;
    }
    if (isOfHealth(occasion.transition)) owed = withoutHealth(owed, channel);
    const since = tick.scheduledAt;
    const debt: Debt = { ...about, channel, route, tick: tick.id, since, dueAt: since, attempts: 0 };
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

/** The message of the fire that is now over, if it certainly reached nobody. */
function unsentFire(alert: Alert, channel: string, occasion: Occasion): string | undefined {
  const { transition, firedWindowEndAt } = occasion;
  // A lease that ran out may be that of an announcer that died after sending.
  if (transition !== 'recovered' || alert.leasedUntilAt !== null) return undefined;
  const unsent = Object.entries(alert.owed).find(
    ([, debt]) =>
      debt.transition === 'fired' &&
      debt.channel === channel &&
      debt.windowEndAt === firedWindowEndAt &&
      debt.attempts === 0,
  );
  return unsent?.[0];
}

function isOfHealth(transition: Transition): boolean {
  return ['failing', 'broken', 'stalled', 'healed'].includes(transition);
}

function withoutHealth(owed: Alert['owed'], channel: string): Alert['owed'] {
  return Object.fromEntries(
    Object.entries(owed).filter(([, debt]) => debt.channel !== channel || !isOfHealth(debt.transition)),
  );
}

function withDebts(alert: Alert, owed: Alert['owed']): Alert {
  const due = Object.values(owed).map(({ dueAt }) => dueAt);
  return { ...alert, owed, owedAt: due.length > 0 ? Math.min(...due) : null };
}
