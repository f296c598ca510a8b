import type { Alert, Debt } from '../alerts/alert.ts';
import { comesBefore } from './notification-history.ts';

/** What the alert owes at `now`, by its key: nothing before what waits to be told before it. */
export function dueDebts({ owed }: Alert, now: number): [string, Debt][] {
  const debts = Object.entries(owed);
  const isAhead = (debt: Debt, other: Debt) =>
    other.channel === debt.channel &&
    other.dueAt > now &&
    other.since <= debt.since &&
    comesBefore(other.transition, debt.transition);
  return debts.filter(([, debt]) => debt.dueAt <= now && !debts.some(([, other]) => isAhead(debt, other)));
}

/**
 * The debt, never older than what the alert owes already. A tick may be evaluated after somebody has answered, and its
 * news is told after the answer's.
 */
export function afterOthers(owed: Alert['owed'], debt: Debt): Debt {
  return { ...debt, since: Math.max(debt.since, ...Object.values(owed).map(({ since }) => since)) };
}
