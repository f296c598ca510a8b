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
 * The alert owing one message to every channel of its rule's route. A recovery of what nobody was told of yet
 * strikes the unsent message instead: whoever never heard of a fire need not hear that it is out. While somebody
 * is sending (`leasedUntilAt`), the first message may be on its way, so both stay.
 */
export function owe(alert: Alert, rule: Rule, routes: Routes, occasion: Occasion): Alert {
  const { route, channels } = routeFor(rule, routes);
  const owed = { ...alert.owed };
  const { tick, ...about } = occasion;
  for (const channel of channels) {
    const unsent =
      occasion.transition === 'recovered' && !isLeased(alert, tick.scheduledAt) && unsentFire(alert, channel);
    if (unsent) {
      delete owed[unsent];
      continue;
    }
    const debt: Debt = {
      ...about,
      channel,
      route,
      tick: tick.id,
      since: tick.scheduledAt,
      dueAt: tick.scheduledAt,
      attempts: 0,
    };
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

function unsentFire(alert: Alert, channel: string): string | undefined {
  return Object.keys(alert.owed).find((key) => {
    const debt = alert.owed[key];
    return debt?.transition === 'fired' && debt.channel === channel;
  });
}

function withDebts(alert: Alert, owed: Alert['owed']): Alert {
  const due = Object.values(owed).map(({ dueAt }) => dueAt);
  return { ...alert, owed, owedAt: due.length > 0 ? Math.min(...due) : null };
}
